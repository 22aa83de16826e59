/**
 * The floor: uWebSockets.js alone, whose close handler does nothing. Arguments: port, `topics` or `none`.
 * With a parent it answers requests by the bodies that come in its first message, by path, and tells the
 * trades that come with them each second anew.
 */
import { App, type HttpResponse, type TemplatedApp } from 'uWebSockets.js'
import type { Queries } from './bare-service.ts'
import type { Trade } from './recorded-trades.ts'

/** As often as the simulator trades. */
const TICK_MS = 16
const TICKS_A_SECOND = 1000 / TICK_MS

const [, , port, kind] = process.argv
let answers = new Map<string, Buffer>()

function listen(): TemplatedApp {
  return App()
    .ws('/*', {
      idleTimeout: 80,
      sendPingsAutomatically: false,
      message: (socket, message) => {
        const { data } = JSON.parse(Buffer.from(message).toString())
        if (kind === 'topics') for (const mint of data.mints) socket.subscribe(`m/${mint}`)
        socket.send('{"type":"subscribed"}')
      },
      close: () => {},
    })
    .post('/*', (res, req) => {
      const path = req.getUrl()
      res.onAborted(() => {})
      res.onData((_, isLast) => {
        if (isLast) answer(res, path)
      })
    })
    .get('/*', (res, req) => {
      res.onAborted(() => {})
      answer(res, req.getUrl())
    })
    .listen('127.0.0.1', Number(port), () => {
      process.stderr.write('"msg":"ready"\n')
      process.send?.('ready')
    })
}

function answer(res: HttpResponse, path: string): void {
  res.cork(() => void res.end(answers.get(path) ?? ''))
}

/** Tells the trades of a second again and again, a tick's share at a time. */
function tell(app: TemplatedApp, trades: readonly Trade[]): void {
  let owed = 0
  let next = 0
  setInterval(() => {
    owed += trades.length / TICKS_A_SECOND
    for (; owed >= 1; owed--) {
      const [mint, message] = trades[next++ % trades.length]
      app.publish(`m/${mint}`, message)
    }
  }, TICK_MS)
}

if (process.send === undefined) listen()
else
  process.once('message', (given: { answers: Queries; trades: readonly Trade[] }) => {
    const bodies = Object.entries(given.answers)
    answers = new Map(bodies.map(([path, body]) => [path, Buffer.from(body)]))
    tell(listen(), given.trades)
  })
