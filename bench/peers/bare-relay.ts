/**
 * The smallest uWebSockets.js program that publishes a message for every line of its input.
 * Arguments: bytes of a message, 1 to keep the loop awake.
 */
import { App, us_socket_local_port } from 'uWebSockets.js'

const message = Buffer.alloc(Number(process.argv[2]), 'x')
const NEWLINE = 10
const app = App()

app.ws('/ws', { open: (ws) => void ws.subscribe('trades') }).listen('127.0.0.1', 0, (socket) => {
  if (socket === false) return
  const port = us_socket_local_port(socket)
  process.stderr.write(`${JSON.stringify({ msg: 'ready', port })}\n`)
})
process.stdin.on('data', (chunk: Buffer) => {
  for (const byte of chunk) if (byte === NEWLINE) app.publish('trades', message)
})
process.stdin.on('end', () => process.exit(0))
if (process.argv[3] === '1') {
  const stayAwake = () => void setImmediate(stayAwake)
  stayAwake()
}
