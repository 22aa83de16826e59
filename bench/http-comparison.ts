import { HttpLoad } from './drivers/http-load.ts'
import type { Goal, Line } from './line.ts'
import { compareRates, type Round } from './pairs.ts'
import { HttpPeer } from './peers/http-peer.ts'
import type { Served } from './served.ts'
import { PAIRS, roundMs, warmMs } from './settings.ts'

/** Bytes of an answer that costs next to nothing, for the driver's own ceiling. */
const TINY = Buffer.from('{}')
const CEILING_ROUND_SCALE = 2

export interface Question {
  readonly what: string
  /** Requests to send in turn, as raw HTTP. */
  readonly requests: readonly string[]
  /** The request for the bare server, when another one than the first. */
  readonly peerRequest?: string
  /** What the service answers to the first: the peer sends the same bytes. */
  readonly body: Uint8Array
  readonly goal?: Goal
  readonly pairs?: number
  /** Requests under way on each connection; the driver's own number when left out. */
  readonly pipelined?: number
}

/** Our rate next to a bare uWebSockets.js server that sends the same bytes. */
export async function compareWithBare(
  load: HttpLoad,
  served: Served,
  question: Question,
): Promise<Line> {
  const { what, requests, body, goal } = question
  const bare = await HttpPeer.start('bare-http.ts', body)
  const { pipelined } = question
  const ours = (runMs?: number) => load.rate(served, requests, runMs, pipelined)
  const peerRequests = [question.peerRequest ?? requests[0]]
  const peer = (runMs?: number) => load.rate(bare, peerRequests, runMs, pipelined)
  try {
    await ours(warmMs)
    await peer(warmMs)
    const { peerRate, ...rest } = await compareRates(
      () => ours(),
      () => peer(),
      question.pairs ?? PAIRS,
    )
    return {
      what: `${what}, ${(body.length / 1000).toFixed(1)} KB`,
      unit: 'answers/s',
      ...rest,
      peer: { name: 'bare uWS', value: peerRate },
      ...(goal === undefined ? {} : { goal }),
    }
  } finally {
    bare.stop()
  }
}

/** What the driver itself can do: against a bare server and an answer of two bytes. */
export async function driverCeiling(load: HttpLoad, request: string): Promise<Line> {
  const bare = await HttpPeer.start('bare-http.ts', TINY)
  try {
    await load.rate(bare, [request])
    const round: Round = await load.rate(bare, [request], roundMs * CEILING_ROUND_SCALE)
    const { ran } = round.driver
    return {
      what: 'ceiling of the driver: bare uWS, answer of 2 B',
      unit: 'answers/s',
      ours: round.perSecond,
      saturated: `driver ${Math.round(ran * 100)} %, server ${Math.round(round.server.ran * 100)} %`,
    }
  } finally {
    bare.stop()
  }
}

/** Runs something against the program with a market of its own, and ends both driver and program. */
export async function withServed<T>(
  served: Promise<Served>,
  work: (load: HttpLoad, served: Served) => Promise<T>,
): Promise<T> {
  const program = await served
  const load = await HttpLoad.start()
  try {
    return await work(load, program)
  } finally {
    load.stop()
    await program.stop()
  }
}
