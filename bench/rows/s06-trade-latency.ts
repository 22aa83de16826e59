import { fileURLToPath } from 'node:url'
import { programPath } from '../../bin/program-path.js'
import { Child, type Message } from '../child.ts'
import { EXAMPLE_MINT } from '../example-line.ts'
import { latenessMark } from '../lateness.ts'
import { type Goal, type Line, ratioAtMost } from '../line.ts'
import { median, spreadPercent } from '../medians.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { settings, warmMs } from '../settings.ts'

const RELAY = fileURLToPath(new URL('../peers/bare-relay.ts', import.meta.url))
const RATE_PER_SECOND = 500
/** So that code is compiled as that of a service that has run for minutes: 15,000 swaps before the first that counts. */
const WARM_RATE_PER_SECOND = 5_000
const RUN_MS = 1_500 * settings.timeScale
const ROUNDS = 3
/** A driver may send this late at the percentile that is measured: much of it would be its own otherwise. */
const LATENESS_MAX_MS = { 50: 0.01, 99: 0.1 } as const
/** Our median above that of the bare relay, at most. */
const MEDIAN_ABOVE_MS = 0.015
const P99_RATIO = 2

const STATES = [true, false] as const
const KEPT = ['', ', with the journal'] as const
type Kept = (typeof KEPT)[number]

/** S6: from the time a swap is meant to be written to the trade's last byte at a reader. */
export async function run(): Promise<readonly Line[]> {
  const lines: Line[] = []
  for (const isAwake of STATES) lines.push(...(await measure(isAwake)))
  return lines
}

/** Rounds of the relay, of ours and of ours with its journal in turn. */
async function measure(isAwake: boolean): Promise<Line[]> {
  const { messageBytes } = await ours(isAwake, '')
  const peers: Message[] = []
  const own: Record<Kept, Message[]> = { '': [], ', with the journal': [] }
  for (let i = 0; i < ROUNDS; i++) {
    for (const kept of KEPT) own[kept].push(await ours(isAwake, kept))
    peers.push(await peer(isAwake, Number(messageBytes)))
  }
  return KEPT.flatMap((kept) =>
    ([50, 99] as const).map((percent) => lineOf(own[kept], peers, { isAwake, kept, percent })),
  )
}

interface Measured {
  readonly isAwake: boolean
  readonly kept: Kept
  readonly percent: 50 | 99
}

function lineOf(own: readonly Message[], peers: readonly Message[], measured: Measured): Line {
  const { isAwake, kept, percent } = measured
  const all = [...own, ...peers].map((round) => Number(round[`latenessP${percent}Ms`]))
  const latenessMs = Math.max(...all)
  const staysAwake = own.every((round) => round.isAwake === 1)
  const asleep = isAwake && !staysAwake ? ', SPIN=on unknown to this commit' : ''
  const values = own.map((round) => Number(round[`p${percent}Ms`]))
  const floor = peers.map((round) => Number(round[`p${percent}Ms`]))
  const ratios = values.map((ms, i) => ms / floor[i])
  return {
    what: `swap in → trade out${kept}, p${percent}, loop ${isAwake ? 'kept awake' : 'sleeping'}`,
    unit: 'ms',
    ours: median(values),
    peer: { name: 'bare relay', value: median(floor) },
    ratio: median(ratios),
    spreadPercent: spreadPercent(ratios),
    ...goalOf(percent, median(floor), isAwake),
    saturated: `intended times, ${RATE_PER_SECOND}/s${asleep}`,
    detail: { latenessMs },
    ...latenessMark(latenessMs, { percent, maxMs: LATENESS_MAX_MS[percent] }),
  }
}

/** The goal holds for loops kept awake; what a sleeping one waits for is the kernel's wake-up. */
function goalOf(percent: 50 | 99, floorMs: number, isAwake: boolean): { readonly goal?: Goal } {
  if (!isAwake) return {}
  if (percent === 99) return { goal: ratioAtMost(P99_RATIO) }
  return { goal: { of: 'ours', is: 'at most', limit: floorMs + MEDIAN_ABOVE_MS } }
}

async function ours(isAwake: boolean, kept: Kept): Promise<Message> {
  const folder = kept === '' ? null : scratchFolder()
  const env = {
    ...{ HOST: '127.0.0.1', PORT: '0', FEED: 'stdin', CLOCK: 'event' },
    ...{ DATA_DIR: folder?.path ?? 'none', FSYNC: 'group' },
    ...{ RATE_LIMIT: 'off', LOG_LEVEL: 'info', SPIN: isAwake ? 'on' : 'off' },
  }
  try {
    return await drive([programPath()], env)
  } finally {
    folder?.remove()
  }
}

function peer(isAwake: boolean, messageBytes: number): Promise<Message> {
  return drive([RELAY, String(messageBytes), isAwake ? '1' : '0'], {})
}

async function drive(command: readonly string[], env: Record<string, string>): Promise<Message> {
  const driver = new Child('drivers/relay-driver.ts')
  try {
    await driver.next()
    return await driver.ask({
      ...{ command: JSON.stringify(command), env: JSON.stringify(env), mint: EXAMPLE_MINT },
      ...{ warmRatePerSecond: WARM_RATE_PER_SECOND, warmMs },
      ...{ ratePerSecond: RATE_PER_SECOND, runMs: RUN_MS },
    })
  } finally {
    driver.stop()
  }
}
