import { setTimeout } from 'node:timers/promises'
import { Child, type Message } from '../child.ts'
import { atLeast, type Line, ratioAtLeast } from '../line.ts'
import { compareRates, type Round } from '../pairs.ts'
import { settings, warmMs } from '../settings.ts'

const RAMP_MS = 100
const RUN_MS = 400 * settings.timeScale
/** Time for what is on its way to arrive before the next round. */
const REST_MS = 100
/** Readers, and what of a bare publish is to be reached. */
const GOALS = { 1: 0.65, 10: 0.85, 100: 0.95, 1000: 0.95 } as const
const PER_TURN = [1, 8] as const
const COALESCED_GOAL = 5
/** Readers for the sides that are there for the scale. */
const SCALE_READERS = 100

/** One publisher and the process that reads from it. */
interface Side {
  readonly server: Child
  readonly readers: Child
}

/** S5: deliveries a second to the readers of one mint, next to a bare publish of equal bytes. */
export async function run(): Promise<readonly Line[]> {
  const lines: Line[] = []
  for (const [readers, goal] of Object.entries(GOALS))
    lines.push(...(await measure(Number(readers), goal)))
  return lines
}

async function measure(readers: number, goal: number): Promise<Line[]> {
  const ours = await open(new Child('processes/live-server.ts'), readers)
  const bytes = await messageBytes(ours)
  const peer = await open(new Child('peers/bare-publish.ts', [bytes]), readers)
  const lines: Line[] = []
  try {
    await round(ours, 1, warmMs)
    await round(peer, 1, warmMs)
    for (const perTurn of PER_TURN) {
      const about = `${perTurn} ${perTurn === 1 ? 'trade' : 'trades'} a turn`
      const what = `${readers} readers, ${about}, ${bytes} B`
      lines.push({ ...(await compare(what, ours, peer, perTurn)), goal: ratioAtLeast(goal) })
    }
    if (readers >= SCALE_READERS) lines.push(coalescing(lines[0], lines[1], readers))
    if (readers === SCALE_READERS) lines.push(await wsPackage(bytes))
  } finally {
    close(ours)
    close(peer)
  }
  return lines
}

/** How much more is delivered when eight trades fall in one turn of the loop. */
function coalescing(one: Line, eight: Line, readers: number): Line {
  const late = one.late ?? eight.late
  return {
    what: `${readers} readers: 8 trades a turn / 1 a turn`,
    unit: '×',
    ours: eight.ours / one.ours,
    goal: atLeast(COALESCED_GOAL),
    ...(late === undefined ? {} : { late }),
  }
}

async function compare(what: string, ours: Side, peer: Side, perTurn: number): Promise<Line> {
  const { peerRate, ...rest } = await compareRates(
    () => round(ours, perTurn, RUN_MS),
    () => round(peer, perTurn, RUN_MS),
  )
  return { what, unit: 'deliveries/s', ...rest, peer: { name: 'bare uWS', value: peerRate } }
}

/** What the most used package delivers. */
async function wsPackage(bytes: number): Promise<Line> {
  const side = await open(new Child('peers/ws-publish.ts', [bytes]), SCALE_READERS)
  try {
    await round(side, 1, RUN_MS)
    const { perSecond, server } = await round(side, 1, RUN_MS)
    return {
      what: `for the scale: package ws, ${SCALE_READERS} readers, 1 a turn`,
      unit: 'deliveries/s',
      ours: perSecond,
      saturated: `server ${Math.round(server.ran * 100)} %`,
    }
  } finally {
    close(side)
  }
}

async function open(server: Child, readers: number): Promise<Side> {
  const { port, mint } = await server.next()
  const child = new Child('drivers/ws-readers.ts')
  await child.next()
  await child.ask({ readers, port, mint: mint ?? '' })
  return { server, readers: child }
}

function close({ server, readers }: Side): void {
  server.stop()
  readers.stop()
}

async function messageBytes(side: Side): Promise<number> {
  return Math.round(Number((await publish(side, 1, RUN_MS)).messageBytes))
}

async function round(side: Side, perTurn: number, runMs: number): Promise<Round> {
  const result = await publish(side, perTurn, runMs)
  return {
    perSecond: Number(result.perSecond),
    server: { ran: Number(result.serverRan), waited: Number(result.serverWaited) },
    driver: { ran: Number(result.driverRan), waited: Number(result.driverWaited) },
  }
}

/** Publishes for a while; the slowest reader's count holds the publisher back. */
async function publish(
  { server, readers }: Side,
  perTurn: number,
  runMs: number,
): Promise<Message> {
  const result = new Promise<Message>((resolve, reject) => {
    const forget = readers.listen(
      (message) => {
        if (message.seen !== undefined) server.send(message)
        if (message.perSecond === undefined) return
        forget()
        resolve(message)
      },
      () => reject(new Error('the readers ended')),
    )
  })
  readers.send({ warmMs: RAMP_MS, runMs, serverPid: server.pid })
  server.send({ perTurn })
  const counted = await result
  server.send({ stop: 1 })
  await setTimeout(REST_MS)
  return counted
}
