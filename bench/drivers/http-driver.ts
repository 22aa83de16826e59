/** A process that drives HTTP over plain sockets; the parent tells where, what and how long. */
import { type Message, onParent, tellParent } from '../child.ts'
import { driveClosed } from './closed-loop.ts'
import { driveOpen } from './open-loop.ts'
import { RequestSource } from './request-source.ts'

let known = { text: '', source: new RequestSource([]) }

/** Serial numbers go on from round to round as long as the requests are the same. */
function sourceOf(text: string): RequestSource {
  if (known.text !== text) known = { text, source: new RequestSource(text.split('\0')) }
  return known.source
}

function drive(order: Message): Promise<Message> {
  const source = sourceOf(String(order.requests))
  const port = Number(order.port)
  const connections = Number(order.connections)
  const runMs = Number(order.runMs)
  if (order.ratePerSecond !== undefined)
    return driveOpen({
      port,
      source,
      connections,
      runMs,
      ratePerSecond: Number(order.ratePerSecond),
    })
  const serverPid = Number(order.serverPid)
  const warmMs = Number(order.warmMs)
  const underWay = Number(order.underWay)
  return driveClosed({ port, serverPid, source, connections, underWay, warmMs, runMs })
}

onParent((order) => {
  drive(order).then(tellParent, (error: unknown) => {
    process.stderr.write(`driver: ${String(error)}\n`)
    process.exit(1)
  })
})
tellParent({ ready: 1 })
