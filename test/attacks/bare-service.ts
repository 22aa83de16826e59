import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../process/free-port.ts'
import { ROOT } from '../tidy/source-files.ts'
import { type Besieged, GOOD_PATHS, type Victim } from './attack.ts'
import type { Trade } from './recorded-trades.ts'

const FILE = join(ROOT, 'test/attacks/bare-server.ts')
/** What attackers of connections and the client that behaves ask for. */
const PATHS = [...GOOD_PATHS, '/openapi.json']
const TABLES = '/api/v2/meme'

/** Bodies by path. */
export type Queries = Readonly<Record<string, string>>

/** What a service answers now. */
export async function answersOf(port: number): Promise<Queries> {
  const url = `http://127.0.0.1:${port}`
  const headers = { 'Content-Type': 'application/json' }
  const tables = await fetch(url + TABLES, { method: 'POST', headers, body: '{}' })
  const answers: Record<string, string> = { [TABLES]: await tables.text() }
  for (const path of PATHS) answers[path] = await (await fetch(url + path)).text()
  return answers
}

/**
 * The floor in a process of its own: uWebSockets.js with the same bytes and topics, and nothing else.
 * Each second it tells the trades of one.
 */
export async function startBareService(
  { mints }: Victim,
  answers: Queries,
  trades: readonly Trade[],
): Promise<Besieged> {
  const port = await freePort()
  const child = fork(FILE, [String(port), 'topics'], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  child.send({ answers, trades })
  await once(child, 'message')
  return {
    pid: child.pid ?? 0,
    victim: { port, mints },
    metrics: null,
    defects: () => [],
    async end() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      return 0
    },
  }
}
