import type { AskApi } from '../../mcp/tools.ts'
import { type RequestError, STATUS_TEXTS, type StatusCode } from '../../protocol/errors.ts'
import { accept, type Parsed, parseJson, refuse } from '../../protocol/requests/parsers.ts'
import type { Caller, Route } from '../http/front.ts'
import type { InnerCall } from '../http/inner-calls.ts'
import { type Reply, textOf } from '../http/reply.ts'
import { MCP_PATH } from '../http/request.ts'
import { FairQueue } from '../load/loop-scheduler.ts'

/** Pages of this machine: what a developer opens, like the protocol's inspector. */
const LOCAL_PAGES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

interface Gate {
  refusal(client: string): RequestError | null
  entered(client: string, nowMs: number): unknown
  left(client: string): void
}

/**
 * `/mcp`: tools for agents over streamable HTTP, without a session and with answers of JSON. The SDK is loaded with the
 * first message. `corsOrigin`: the page that may call it beside those of this machine, unless it is `*`. `gate` bounds
 * messages that wait or are being answered, in all and of each client.
 */
export function mcpRoute(call: InnerCall, corsOrigin: string, gate: Gate): Route {
  const queue = new AgentMessages(gate)
  return {
    name: 'mcp',
    method: 'POST',
    path: MCP_PATH,
    isApi: true,
    answer: ({ body, caller }) => {
      const origin = caller.request.headers.get('origin') ?? ''
      if (!mayCall(origin, corsOrigin)) return foreignPage()
      const message = parseJson(body)
      if (!message.ok) return message
      if (Array.isArray(message.value)) return batch()
      return queue.answer(caller, () => answered(message.value, caller, call))
    },
  }
}

/**
 * May a page of this origin call tools? Programs send none. A name that its owner points at this machine (DNS rebinding)
 * makes a stranger's page one of the service's own by its Host, so that Host says nothing; `*` says nothing either.
 */
function mayCall(origin: string, corsOrigin: string): boolean {
  if (origin === '' || origin === corsOrigin) return true
  const page = URL.parse(origin)
  return page !== null && LOCAL_PAGES.includes(page.hostname)
}

function foreignPage(): Parsed<Reply> {
  const sentence =
    'A page that is neither of this machine nor named by CORS_ORIGIN may not call tools; programs send no Origin.'
  return refuse('foreign_page', 'origin', sentence)
}

function batch(): Parsed<Reply> {
  const sentence =
    'A batch came; a request has one message, as the protocol wants since its revision 2025-06-18.'
  return refuse('invalid_body', 'body', sentence)
}

async function answered(message: unknown, caller: Caller, call: InnerCall): Promise<Parsed<Reply>> {
  const { httpAnswer } = await import('../../mcp/http-answer.ts')
  const ask: AskApi = async (request) => {
    const reply = await call(caller, request)
    if (reply.error !== undefined) return { ok: false, sentence: reply.error.message }
    return { ok: true, json: textOf(reply) }
  }
  const { statusCode, contentType, body } = await httpAnswer(message, caller.request.headers, ask)
  return accept({ statusCode: statusOf(statusCode), contentType, body, headers: [] })
}

function statusOf(code: number): StatusCode {
  return STATUS_CODES.find((known) => known === code) ?? 500
}

const STATUS_CODES = Object.keys(STATUS_TEXTS).map(Number).filter(isStatusCode)

function isStatusCode(code: number): code is StatusCode {
  return code in STATUS_TEXTS
}

/**
 * Messages of agents, of which a turn of the loop begins one: the SDK takes about a millisecond for each, which no slice
 * sees, because it is spent in promises. Clients take turns by message.
 */
class AgentMessages {
  #served = 0
  /** Its clock counts messages: each is a whole slice of its client. */
  readonly #queue = new FairQueue<() => void>(() => this.#served++)
  #isScheduled = false
  readonly #gate: Gate

  constructor(gate: Gate) {
    this.#gate = gate
  }

  answer(
    caller: Caller,
    make: () => Promise<Parsed<Reply>>,
  ): Parsed<Reply> | Promise<Parsed<Reply>> {
    const { client } = caller.request
    const full = this.#gate.refusal(client)
    if (full !== null) return { ok: false, error: full }
    this.#gate.entered(client, performance.now())
    return new Promise<Parsed<Reply>>((resolve, reject) => {
      this.#queue.add(client, () => {
        if (caller.hasEnded) resolve(refuse('deadline_exceeded', 'service', 'The caller has left.'))
        else make().then(resolve, reject)
      })
      this.#schedule()
    }).finally(() => this.#gate.left(client))
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queue.size === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#queue.serveOne((begin) => {
        begin()
        return false
      })
      this.#schedule()
    })
  }
}
