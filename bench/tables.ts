import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TABLE_BODIES } from './bodies.ts'
import { Child } from './child.ts'
import { median, spreadPercent } from './medians.ts'
import type { Report, Row } from './report.ts'
import { Served, send } from './served.ts'

const PAIRS = 5
const WARM_MS = 300
const RUN_MS = 700
const SWAPS_PER_SECOND = 1_000
const SIZES = [2_000, 100_000]
const BODIES = ['no filter', 'popular filter, all groups', 'filter that few pass']

/** POST /api/v2/meme next to a bare server that sends the same bytes. */
export async function run(): Promise<Report> {
  const rows: Row[] = []
  const driver = new Child('http-driver.ts')
  await driver.next()
  for (const tokens of SIZES) {
    const served = await Served.start(tokens, SWAPS_PER_SECOND)
    for (const name of BODIES) rows.push(await measure(driver, served, tokens, name))
    await served.stop()
  }
  driver.stop()
  const how =
    `queries a second while ${SWAPS_PER_SECOND} swaps/s are folded; peer: bare uWebSockets.js ` +
    `POST of the same bytes; ${PAIRS} interleaved pairs of ${RUN_MS} ms, 8 connections × 4`
  return { name: 'tables', how, rows }
}

async function measure(driver: Child, served: Served, tokens: number, name: string): Promise<Row> {
  const body = TABLE_BODIES[name]
  const bytes = await send(served.port, 'POST', '/api/v2/meme', body)
  const folder = mkdtempSync(join(tmpdir(), 'mintfeed-bench-'))
  const file = join(folder, 'body')
  writeFileSync(file, bytes)
  const bare = new Child('bare-post.ts', [file])
  const peerPort = Number((await bare.next()).port)
  const ours: number[] = []
  const peer: number[] = []
  for (let i = 0; i < PAIRS; i++) {
    ours.push(await rateOf(driver, served.port, body))
    peer.push(await rateOf(driver, peerPort, body))
  }
  bare.stop()
  rmSync(folder, { recursive: true })
  return {
    what: `${tokens} tokens, ${name}, ${(bytes.length / 1000).toFixed(1)} KB`,
    ours: median(ours),
    peer: median(peer),
    ratio: median(ours.map((rate, i) => rate / peer[i])),
    spreadPercent: spreadPercent(ours),
    unit: 'queries/s',
  }
}

async function rateOf(driver: Child, port: number, body: string): Promise<number> {
  const result = await driver.ask({ port, body, warmMs: WARM_MS, runMs: RUN_MS })
  if (result.wrong !== 0) throw new Error(`${result.wrong} answers were not 200`)
  return Number(result.perSecond)
}
