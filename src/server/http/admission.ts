import type { LoopScheduler } from '../load/loop-scheduler.ts'
import { EarlyBody } from './body-reader.ts'
import type { Exchange } from './exchange.ts'
import { deadlineExceeded, internalError } from './front-replies.ts'
import type { Reply } from './reply.ts'

/**
 * Requests are answered at once for this long in one turn of the loop; those that come on top wait
 * for a later turn, and who has sent another one behind such a request is cut off.
 */
const TURN_MS = 4

export interface AdmissionParts {
  readonly turns: LoopScheduler
  readonly routeDeadlineMs: number
}

/**
 * Begins an exchange now, or in a later turn when this one has given its time to requests. Whatever
 * answers has to go through here, refusals too: thousands of requests may come in one piece. What came on a
 * connection that is reset by now is closed. `begin` gives the reply, or null when it comes later.
 */
export function admit(
  { turns, routeDeadlineMs }: AdmissionParts,
  exchange: Exchange,
  begin: () => Reply | null,
): void {
  const { client, isGone, method } = exchange.request
  if (isGone) {
    exchange.close()
    return
  }
  if (!turns.isOverBudget(client, TURN_MS, exchange.startedMs)) {
    exchange.guard(begin, internalError)
    turns.done()
    return
  }
  exchange.wait(routeDeadlineMs, () => deadlineExceeded(routeDeadlineMs))
  // The body is taken in meanwhile: uWebSockets.js would not keep it.
  if (method === 'POST') exchange.early = new EarlyBody(exchange.res)
  turns.later(client, {
    run() {
      if (!exchange.hasEnded) exchange.guard(begin, internalError)
      return false
    },
  })
}
