import { fileURLToPath } from 'node:url'
import { programPath } from '../../bin/program-path.js'
import { Child, type Message } from '../child.ts'
import { EXAMPLE_MINT } from '../example-line.ts'
import { latenessMark } from '../lateness.ts'
import { type Goal, type Line, ratioAtMost } from '../line.ts'
import { median, spreadPercent } from '../medians.ts'
import { settings } from '../settings.ts'

const RELAY = fileURLToPath(new URL('../peers/bare-relay.ts', import.meta.url))
const RATE_PER_SECOND = 500
const WARM_MS = 1_000 * settings.timeScale
const RUN_MS = 1_500 * settings.timeScale
const ROUNDS = 3
/** A driver may send this late, p99: half of what is measured would be its own otherwise. */
const LATENESS_MAX_MS = 0.1
/** Our median above that of the bare relay, at most. */
const MEDIAN_ABOVE_MS = 0.015
const P99_RATIO = 2

/** S6: from the time a swap is meant to be written to the trade's last byte at a reader. */
export async function run(): Promise<readonly Line[]> {
  return [...(await measure(true)), ...(await measure(false))]
}

async function measure(isAwake: boolean): Promise<Line[]> {
  const { messageBytes } = await ours(isAwake)
  const own: Message[] = []
  const other: Message[] = []
  for (let i = 0; i < ROUNDS; i++) {
    own.push(await ours(isAwake))
    other.push(await peer(isAwake, Number(messageBytes)))
  }
  const worstLateness = Math.max(...[...own, ...other].map((round) => Number(round.latenessP99Ms)))
  const staysAwake = own.every((round) => round.isAwake === 1)
  const asleep = isAwake && !staysAwake ? ', SPIN=on unknown to this commit' : ''
  const about = {
    saturated: `intended times, ${RATE_PER_SECOND}/s${asleep}`,
    detail: { latenessP99Ms: worstLateness },
    ...latenessMark(worstLateness, LATENESS_MAX_MS),
  }
  const line = (percent: 50 | 99): Line => {
    const values = own.map((round) => Number(round[`p${percent}Ms`]))
    const floor = other.map((round) => Number(round[`p${percent}Ms`]))
    const ratios = values.map((ms, i) => ms / floor[i])
    return {
      what: `swap in → trade out, p${percent}, loop ${isAwake ? 'kept awake' : 'sleeping'}`,
      unit: 'ms',
      ours: median(values),
      peer: { name: 'bare relay', value: median(floor) },
      ratio: median(ratios),
      spreadPercent: spreadPercent(ratios),
      ...goalOf(percent, median(floor), isAwake),
      ...about,
    }
  }
  return [line(50), line(99)]
}

/** The goal holds for loops kept awake; what a sleeping one waits for is the kernel's wake-up. */
function goalOf(percent: 50 | 99, floorMs: number, isAwake: boolean): { readonly goal?: Goal } {
  if (!isAwake) return {}
  if (percent === 99) return { goal: ratioAtMost(P99_RATIO) }
  return { goal: { of: 'ours', is: 'at most', limit: floorMs + MEDIAN_ABOVE_MS } }
}

function ours(isAwake: boolean): Promise<Message> {
  const env = {
    ...{ HOST: '127.0.0.1', PORT: '0', FEED: 'stdin', CLOCK: 'event', DATA_DIR: 'none' },
    ...{ RATE_LIMIT: 'off', LOG_LEVEL: 'info', SPIN: isAwake ? 'on' : 'off' },
  }
  return drive([programPath()], env)
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
      ...{ ratePerSecond: RATE_PER_SECOND, warmMs: WARM_MS, runMs: RUN_MS },
    })
  } finally {
    driver.stop()
  }
}
