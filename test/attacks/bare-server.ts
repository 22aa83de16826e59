/**
 * The floor: uWebSockets.js alone, whose close handler does nothing. Arguments: port, `topics` or `none`.
 * With a parent it answers requests by the bodies that come in its first message, by path.
 */
import { App, type HttpResponse } from 'uWebSockets.js'

const [, , port, kind] = process.argv
let answers = new Map<string, Buffer>()

function listen(): void {
  App()
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

if (process.send === undefined) listen()
else
  process.once('message', (bodies: Readonly<Record<string, string>>) => {
    answers = new Map(Object.entries(bodies).map(([path, body]) => [path, Buffer.from(body)]))
    listen()
  })
