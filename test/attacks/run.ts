/**
 * Every attack at full size; a table of what a client that behaves met. ONLY=<part of a name>. Attacks by
 * connections are led against uWebSockets.js alone too, in the same run: the floor.
 */
import { ATTACKS, type Effect, Siege } from './siege.ts'

const DURATION_MS = Number(process.env.SECONDS || 15) * 1000
/** A client that asks 100 times a second has its p99 out of a thousand latencies then. */
const QUIET_MS = 10_000
const TOKENS = 2000
const SWAPS_PER_SECOND = 200
const MEBIBYTE = 2 ** 20

const row = (cells: readonly string[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`)
const ms = (value: number) => value.toFixed(1)

function tell(name: string, size: string, effect: Effect, floor: Effect | null): void {
  const { before, during, memoryBytes, stallMs } = effect
  const { failures } = during
  const reasons = [...new Set(failures)].join(', ')
  const failed = failures.length === 0 ? '' : ` (${failures.length} failed: ${reasons})`
  row([
    name,
    size,
    `${ms(before.p50Ms)} / ${ms(before.p99Ms)}`,
    `${ms(during.p50Ms)} / ${ms(during.p99Ms)}${failed}`,
    (during.p99Ms / before.p99Ms).toFixed(1),
    `${Math.round(memoryBytes / MEBIBYTE)}`,
    ms(stallMs),
    ms(during.ownP99Ms),
    floor === null ? '' : `${ms(floor.before.p99Ms)} → ${ms(floor.during.p99Ms)}`,
  ])
}

row([
  'attack',
  'size',
  'p50 / p99 before, ms',
  'during, ms',
  'p99 ratio',
  'memory, MiB',
  'longest stall, ms',
  'client late by itself, ms',
  'p99 of uWebSockets.js alone, ms',
])
row(['---', '---:', '---:', '---:', '---:', '---:', '---:', '---:', '---:'])
let isWell = true
for (const attack of ATTACKS.filter(({ name }) => name.includes(process.env.ONLY ?? ''))) {
  // A program of its own each: what one attack leaves in memory is not the next one's.
  const siege = await Siege.begin(TOKENS, SWAPS_PER_SECOND)
  const isApart = siege.separate()
  const effect = await siege.attack(attack, attack.sizes.full, DURATION_MS, QUIET_MS)
  const { defects } = siege
  const bare = attack.hasFloor ? await siege.beginBare() : null
  const exitCode = await siege.end()
  bare?.separate()
  const floor = await bare?.attack(attack, attack.sizes.full, DURATION_MS, QUIET_MS)
  await bare?.end()
  tell(
    isApart ? attack.name : `${attack.name} (cores shared)`,
    `${attack.sizes.full} ${attack.unit}`,
    effect,
    floor ?? null,
  )
  if (defects.length === 0 && exitCode === 0) continue
  isWell = false
  const first = defects.slice(0, 3).map((line) => `  ${line}\n`)
  process.stdout.write(
    `${attack.name}: ${defects.length} defects, ended with ${exitCode}\n${first.join('')}`,
  )
}
process.exit(isWell ? 0 : 1)
