/**
 * A client that behaves: one request every few milliseconds at its intended time, on a connection
 * that is kept, in a process of its own. `start` begins a measurement, `stop` is answered with it.
 */
import { Agent, get } from 'node:http'

const EVERY_MS = 10
const PATHS = [
  '/api/v2/search/tokens/unknown/market-data',
  '/api/v2/search/tokens/unknown/swaps',
  '/healthz',
]

const port = Number(process.argv[2])
const agent = new Agent({ keepAlive: true, maxSockets: 8 })
let latenciesMs: number[] = []
let failures = 0
let asked = 0

function ask(intendedMs: number): void {
  const path = PATHS[asked++ % PATHS.length]
  get({ host: '127.0.0.1', port, path, agent }, (response) => {
    response.resume().on('end', () => {
      if (response.statusCode !== 200) failures++
      latenciesMs.push(performance.now() - intendedMs)
    })
  }).on('error', () => failures++)
}

let nextMs = performance.now()
setInterval(() => {
  for (; nextMs <= performance.now(); nextMs += EVERY_MS) ask(nextMs)
}, 1)

process.on('message', (message) => {
  if (message === 'stop') {
    const sorted = latenciesMs.sort((a, b) => a - b)
    const at = (share: number) =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    process.send?.({ answers: sorted.length, failures, p50Ms: at(0.5), p99Ms: at(0.99) })
  }
  latenciesMs = []
  failures = 0
})
process.on('disconnect', () => process.exit())
