import type { Line } from './line.ts'
import { median, spreadPercent } from './medians.ts'
import { PAIRS, settings } from './settings.ts'
import type { ThreadShare } from './threads.ts'

/**
 * A driver or a server that was ready to run and had no core for more than this share of the time
 * was late: something else used the cores.
 */
const LATE_SHARE_MAX = 0.1
/** A thread that ran this share of the time had nothing left to give. */
const SATURATED_SHARE = 0.9

/** A round of one side under a driver that sends as fast as answers come. */
export interface Round {
  readonly perSecond: number
  readonly server: ThreadShare
  readonly driver: ThreadShare
  /** Of an answer with its head, where answers are counted. */
  readonly bytes?: number
}

type Drive = () => Promise<Round>

/**
 * Rounds of ours and of the peer in turn. A pair in which driver or server had to wait for a core is
 * done again, as many times as there are pairs; when fewer than half of them count, the line is late.
 */
export async function compareRates(
  ours: Drive,
  peer: Drive,
  pairCount = PAIRS,
): Promise<
  Pick<Line, 'ours' | 'ratio' | 'spreadPercent' | 'saturated' | 'detail' | 'late'> & {
    peerRate: number
  }
> {
  const good: [Round, Round][] = []
  const late: [Round, Round][] = []
  for (let i = 0; good.length < pairCount && i < pairCount * 2; i++) {
    const pair = await onePair(ours, peer, i % 2 === 0)
    const isLate = pair.some((round) => waitedOf(round) > LATE_SHARE_MAX)
    if (isLate) late.push(pair)
    else good.push(pair)
  }
  const isLate = good.length * 2 < pairCount
  const counted = isLate ? [...good, ...late] : good
  return { ...summary(counted), ...(isLate ? { late: latenessOf(late) } : {}) }
}

/** Whoever comes second finds a warmer machine: they take turns. */
async function onePair(ours: Drive, peer: Drive, isOursFirst: boolean): Promise<[Round, Round]> {
  if (isOursFirst) {
    const own = await ours()
    return [own, await peer()]
  }
  const other = await peer()
  return [await ours(), other]
}

function summary(pairs: readonly [Round, Round][]) {
  const own = pairs.map(([round]) => round)
  const other = pairs.map(([, round]) => round)
  const ran = (rounds: readonly Round[], of: 'server' | 'driver') =>
    median(rounds.map((round) => round[of].ran))
  const server = ran(own, 'server')
  const peerServer = ran(other, 'server')
  // A server that waited for its driver has not shown its rate: then rates of its own CPU count.
  const isSaturated = Math.min(server, peerServer) >= SATURATED_SHARE || peerServer === 0
  const speed = (round: Round) => round.perSecond / (isSaturated ? 1 : round.server.ran)
  const ratios = pairs.map(([a, b]) => speed(a) / speed(b))
  const wallRatios = pairs.map(([a, b]) => a.perSecond / b.perSecond)
  const cpuRatios = pairs.map(([a, b]) => a.perSecond / a.server.ran / (b.perSecond / b.server.ran))
  const driver = ran(own, 'driver')
  const peerDriver = ran(other, 'driver')
  return {
    ours: median(own.map(({ perSecond }) => perSecond)),
    peerRate: median(other.map(({ perSecond }) => perSecond)),
    ratio: median(ratios),
    spreadPercent: spreadPercent(ratios),
    saturated: saturatedText({ server, driver, peerServer, peerDriver }, isSaturated),
    detail: {
      ...{
        pairs: pairs.length,
        wallRatio: median(wallRatios),
        cpuRatio: median(cpuRatios),
        timeScale: settings.timeScale,
        bytes: median(own.map(({ bytes }) => bytes ?? 0)),
        peerBytes: median(other.map(({ bytes }) => bytes ?? 0)),
      },
      ...{
        serverRan: server,
        driverRan: driver,
        peerServerRan: peerServer,
        peerDriverRan: peerDriver,
      },
    },
  }
}

interface Rans {
  readonly server: number
  readonly driver: number
  readonly peerServer: number
  readonly peerDriver: number
}

function saturatedText(rans: Rans, isSaturated: boolean): string {
  const ours = busiest(rans.server, rans.driver)
  const peer = busiest(rans.peerServer, rans.peerDriver)
  return `${ours} | ${peer}${isSaturated ? '' : '; ratio by server CPU'}`
}

/** Who of the two was at its limit, with both shares. */
export function busiest(server: number, driver: number): string {
  const shares = `server ${percent(server)}, driver ${percent(driver)}`
  if (server >= SATURATED_SHARE) return `server (${shares})`
  if (driver >= SATURATED_SHARE) return `driver (${shares})`
  return `neither (${shares})`
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

function latenessOf(pairs: readonly [Round, Round][]): string {
  const waited = median(pairs.flatMap((pair) => pair.map(waitedOf)))
  return `driver or server had no core for ${percent(waited)} of the time`
}

function waitedOf({ driver, server }: Round): number {
  return Math.max(driver.waited, server.waited)
}
