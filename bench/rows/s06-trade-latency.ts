import { fileURLToPath } from 'node:url'
import { NODE_FLAGS } from '../../bin/node-flags.js'
import { programPath } from '../../bin/program-path.js'
import { Child, type Message } from '../child.ts'
import { EXAMPLE_MINT } from '../example-line.ts'
import { latenessMark } from '../lateness.ts'
import { type Goal, type Line, ratioAtMost } from '../line.ts'
import { pairedRounds } from '../paired-rounds.ts'
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

/** S6: from the time a swap is meant to be written to the trade's last byte at a reader. */
export async function run(): Promise<readonly Line[]> {
  return [...(await measure(true)), ...(await measure(false))]
}

/** Rounds of ours, of ours with its journal and of the relay in turn. */
async function measure(isAwake: boolean): Promise<Line[]> {
  const { messageBytes } = await ours(isAwake, false)
  const own: Message[] = []
  const journaled: Message[] = []
  const peers: Message[] = []
  for (let i = 0; i < ROUNDS; i++) {
    own.push(await ours(isAwake, false))
    journaled.push(await ours(isAwake, true))
    peers.push(await peer(isAwake, Number(messageBytes)))
  }
  const lines = (rounds: readonly Message[], kept: string) =>
    ([50, 99] as const).map((percent) => lineOf(rounds, peers, { isAwake, kept, percent }))
  return [...lines(own, ''), ...lines(journaled, ', with the journal')]
}

interface Measured {
  readonly isAwake: boolean
  readonly kept: string
  readonly percent: 50 | 99
}

function lineOf(own: readonly Message[], peers: readonly Message[], measured: Measured): Line {
  const { isAwake, kept, percent } = measured
  const figures = (rounds: readonly Message[], name: string) =>
    rounds.map((round) => Number(round[name]))
  const latenessMs = Math.max(...figures([...own, ...peers], `latenessP${percent}Ms`))
  const staysAwake = own.every((round) => round.isAwake === 1)
  const asleep = isAwake && !staysAwake ? ', SPIN=on unknown to this commit' : ''
  const [values, floor] = [own, peers].map((rounds) => figures(rounds, `p${percent}Ms`))
  const compared = pairedRounds(values, floor, 'bare relay')
  return {
    what: `swap in → trade out${kept}, p${percent}, loop ${isAwake ? 'kept awake' : 'sleeping'}`,
    unit: 'ms',
    ...compared,
    ...goalOf(percent, compared.peer.value, isAwake),
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

async function ours(isAwake: boolean, isJournaled: boolean): Promise<Message> {
  const folder = isJournaled ? scratchFolder() : null
  const env = {
    ...{ HOST: '127.0.0.1', PORT: '0', FEED: 'stdin', CLOCK: 'event' },
    ...{ DATA_DIR: folder?.path ?? 'none', FSYNC: 'group' },
    ...{ RATE_LIMIT: 'off', LOG_LEVEL: 'info', SPIN: isAwake ? 'on' : 'off' },
  }
  try {
    return await drive([...NODE_FLAGS, programPath()], env)
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
