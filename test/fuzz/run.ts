/**
 * The long form: COUNT inputs in all, from SEED; then requests and frames on the sockets of a real
 * program, one for every 200 inputs. Ends with 1 when a rule was broken.
 */
import { startProgram } from '../process/program.ts'
import { allTargets, campaign, keepInCorpus } from './campaign.ts'
import { fuzzFrames } from './frame-fuzz.ts'
import { fuzzHttp } from './http-fuzz.ts'
import { DEFECT } from './target.ts'

const count = Number(process.env.COUNT || 20_000_000)
const seed = Number(process.env.SEED || Math.floor(Date.now() / 1000))
/** Findings of one target that are enough to begin mending. */
const FINDINGS_MAX = 5

if (!Number.isSafeInteger(count) || !Number.isSafeInteger(seed)) {
  process.stderr.write('COUNT and SEED must be integers.\n')
  process.exit(2)
}
const targets = allTargets()
const each = Math.ceil(count / targets.length)
let findings = 0
let done = 0
process.stdout.write(`fuzz: ${count} inputs over ${targets.length} readers, SEED=${seed}\n`)
for (const target of targets) {
  const startedMs = performance.now()
  let found = 0
  for (const finding of campaign(target, seed, each)) {
    const path = keepInCorpus(finding)
    process.stdout.write(`${target.name}: ${finding.reason}\n  kept as ${path}\n`)
    found++
    if (found === FINDINGS_MAX) break
  }
  findings += found
  if (found < FINDINGS_MAX) done += each
  const seconds = (performance.now() - startedMs) / 1000
  const rate = Math.round(each / seconds)
  process.stdout.write(`${target.name}: ${each} inputs, ${found} findings, ${rate} a second\n`)
}

/** Clients at once, since most of their time is waiting. */
const CLIENTS = 16

async function fuzzSockets(requests: number): Promise<number> {
  const program = await startProgram({
    SIM_TOKENS: '200',
    RATE_LIMIT: 'off',
    BODY_TIMEOUT: '200ms',
  })
  const port = Number(new URL(program.url).port)
  const each = Math.ceil(requests / CLIENTS)
  const seeds = Array.from({ length: CLIENTS }, (_, client) => seed + client)
  const statuses = new Map<string, number>()
  for (const came of await Promise.all(seeds.map((one) => fuzzHttp(port, one, each))))
    for (const [status, times] of came) statuses.set(status, (statuses.get(status) ?? 0) + times)
  const table = [...statuses].sort().map(([status, times]) => `${status}: ${times}`)
  process.stdout.write(`sockets: ${each * CLIENTS} requests, ${table.join(', ')}\n`)
  const sent = await Promise.all(seeds.map((one) => fuzzFrames(port, one, Math.ceil(each / 20))))
  const frames = sent.reduce((sum, count) => sum + count, 0)
  const defects = program.lines.filter((line) => DEFECT.test(line))
  const isAlive = (await fetch(`${program.url}/healthz`)).status === 200
  const endedWith = await program.end('SIGTERM')
  process.stdout.write(
    `sockets: ${frames} frames, ${defects.length} defects, alive: ${isAlive}, ended with ${endedWith}\n`,
  )
  for (const line of defects.slice(0, FINDINGS_MAX)) process.stdout.write(`${line}\n`)
  return defects.length + (isAlive && endedWith === 0 ? 0 : 1)
}

findings += await fuzzSockets(Math.ceil(count / 200))
process.stdout.write(`fuzz: ${done} inputs, ${findings} findings, SEED=${seed}\n`)
process.exit(findings === 0 ? 0 : 1)
