import { setTimeout } from 'node:timers/promises'
import { Child, type Message } from './child.ts'
import { median, spreadPercent } from './medians.ts'
import type { Report, Row } from './report.ts'

const PAIRS = 5
const WARM_MS = 250
const RUN_MS = 700
/** Time for what is on its way to arrive before the next round. */
const REST_MS = 250
const READERS = [100, 1_000]
const PER_TURN = [1, 8]

/** One publisher and the process that reads from it. */
interface Side {
  readonly server: Child
  readonly readers: Child
}

/** Deliveries a second to readers of one mint, next to a bare publish of equal bytes. */
export async function run(): Promise<Report> {
  const rows: Row[] = []
  for (const readers of READERS) rows.push(...(await measure(readers)))
  const how =
    'messages delivered a second, fold and encoding included; peer: bare uWebSockets.js publish ' +
    `of equal bytes; ${PAIRS} interleaved pairs of ${RUN_MS} ms`
  return { name: 'fanout', how, rows }
}

async function measure(readers: number): Promise<Row[]> {
  const ours = await open(new Child('live-server.ts'), readers)
  const { messageBytes } = await round(ours, 1)
  const bytes = Math.round(Number(messageBytes))
  const peer = await open(new Child('bare-publish.ts', [bytes]), readers)
  const rows: Row[] = []
  for (const perTurn of PER_TURN) {
    const what = `${readers} readers, ${perTurn} a turn, ${bytes} B`
    rows.push(await compare(what, ours, peer, perTurn))
  }
  for (const child of [ours.server, ours.readers, peer.server, peer.readers]) child.stop()
  return rows
}

async function open(server: Child, readers: number): Promise<Side> {
  const { port, mint } = await server.next()
  const child = new Child('ws-readers.ts')
  await child.next()
  await child.ask({ readers, port, mint: mint ?? '' })
  return { server, readers: child }
}

async function compare(what: string, ours: Side, peer: Side, perTurn: number): Promise<Row> {
  const rates: number[] = []
  const peerRates: number[] = []
  for (let i = 0; i < PAIRS; i++) {
    rates.push(Number((await round(ours, perTurn)).perSecond))
    peerRates.push(Number((await round(peer, perTurn)).perSecond))
  }
  return {
    what,
    ours: median(rates),
    peer: median(peerRates),
    ratio: median(rates.map((rate, i) => rate / peerRates[i])),
    spreadPercent: spreadPercent(rates),
    unit: 'deliveries/s',
  }
}

/** Publishes for a while; the slowest reader's count holds the publisher back. */
async function round({ server, readers }: Side, perTurn: number): Promise<Message> {
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
  readers.send({ warmMs: WARM_MS, runMs: RUN_MS })
  server.send({ perTurn })
  const counted = await result
  server.send({ stop: 1 })
  await setTimeout(REST_MS)
  return counted
}
