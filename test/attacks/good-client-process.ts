/**
 * A client that behaves: one request every few milliseconds at its intended time, on a connection
 * that is kept, in a process of its own. `start` begins a measurement, `stop` is answered with it.
 */
import { Agent, get } from 'node:http'
import { GOOD_PATHS } from './attack.ts'

const EVERY_MS = 10

const port = Number(process.argv[2])
/** Node's agent heeds how long a server says it keeps a connection only when it has a time of its own. */
const AGENT_TIMEOUT_MS = 60_000
const agent = new Agent({ keepAlive: true, maxSockets: 8, timeout: AGENT_TIMEOUT_MS })
let latenciesMs: number[] = []
/** How late requests left. */
let latenessMs: number[] = []
/** Requests that were refused or cut, by status or code. */
let failures: string[] = []
let asked = 0

/** Intended times of requests that are not answered yet. */
const waiting = new Set<number>()

function ask(intendedMs: number): void {
  const index = asked++
  const path = GOOD_PATHS[index % GOOD_PATHS.length]
  // Behind a proxy, as many clients: one alone would meet its rate limit.
  const headers = { 'X-Forwarded-For': `10.0.${(index >> 8) & 255}.${index & 255}` }
  waiting.add(intendedMs)
  latenessMs.push(performance.now() - intendedMs)
  get({ host: '127.0.0.1', port, path, agent, headers }, (response) => {
    response.resume().on('end', () => {
      waiting.delete(intendedMs)
      if (response.statusCode !== 200) failures.push(String(response.statusCode))
      latenciesMs.push(performance.now() - intendedMs)
    })
  }).on('error', (error) => {
    waiting.delete(intendedMs)
    failures.push('code' in error ? String(error.code) : error.message)
  })
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

let nextMs = performance.now()
setInterval(() => {
  for (; nextMs <= performance.now(); nextMs += EVERY_MS) ask(nextMs)
}, 1)

process.on('message', (message) => {
  if (message === 'stop') {
    // What is still waiting took as long already, at least.
    const now = performance.now()
    const unanswered = [...waiting].map((intendedMs) => now - intendedMs)
    const all = [...latenciesMs, ...unanswered].sort((a, b) => a - b)
    process.send?.({
      answers: all.length,
      failures,
      p50Ms: at(all, 0.5),
      p99Ms: at(all, 0.99),
      ownP99Ms: at(
        latenessMs.sort((a, b) => a - b),
        0.99,
      ),
    })
  }
  latenciesMs = []
  latenessMs = []
  failures = []
})
process.on('disconnect', () => process.exit())
