/**
 * What a live table costs, by how many follow it: computations and CPU time of the server, and
 * frames at the readers, who sit in another process. `make bench ONLY=live-tables`
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import WebSocket from 'ws'
import { Service } from '../src/app/service.ts'
import { SimulatorFeed } from '../src/feeds/simulator/simulator.ts'
import { EngineService } from '../src/query/engine-service.ts'
import { startServer } from '../src/server/server.ts'
import type { Line } from './line.ts'

const READERS = [1, 100, 1_000]
const TOKENS = 2_000
const SWAPS_PER_SECOND = 1_000
const WARM_MS = 3_000
const ROUND_MS = 5_000
const FILTER = { type: 'all', newPools: { holders: { min: 2 } } }
const HERE = fileURLToPath(import.meta.url)
const READER_FLAG = '--readers'
const ignore = () => undefined

/** One live table, followed by 1, 100 and 1,000 connections while a market trades. */
export async function run(): Promise<readonly Line[]> {
  const service = new Service({ clock: 'wall', lateSlots: 32 })
  const { engine } = service
  const wired = new EngineService(
    engine,
    () => service.tick(),
    () => 'bench',
  )
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    ...wired.ports,
    state: { isStarting: () => false, notReady: () => null, figures: () => ({}) },
    clock: Date.now,
    rateLimit: null,
    trustProxy: [],
    corsOrigin: '*',
    log: { info: ignore, warn: ignore, error: ignore },
  })
  wired.attach()
  const feed = new SimulatorFeed({
    held: null,
    seed: 1,
    tokens: TOKENS,
    rate: SWAPS_PER_SECOND,
    startSeconds: Math.floor(Date.now() / 1000),
    clock: () => Date.now() / 1000,
    addressBook: engine.state.book,
  })
  const fed = feed.start(service)
  await sleep(WARM_MS)
  const idle = await cpuShare(ROUND_MS)
  const rows: Line[] = [{ what: 'CPU of the server, nobody follows', ours: idle, unit: '%' }]
  for (const readers of READERS) rows.push(...(await measure(server.url, server.wsUrl, readers)))
  feed.stop()
  await fed
  await server.stop()
  return rows
}

async function measure(url: string, wsUrl: string, readers: number): Promise<Line[]> {
  const child = fork(HERE, [READER_FLAG, String(readers), wsUrl], { execArgv: [] })
  try {
    await once(child, 'message')
    await sleep(WARM_MS / 3)
    const before = await computations(url)
    child.send('count')
    const cpu = await cpuShare(ROUND_MS)
    const after = await computations(url)
    const counted = once(child, 'message')
    child.send('count')
    const [frames]: unknown[] = await counted
    const seconds = ROUND_MS / 1000
    const who = `${readers} readers`
    return [
      { what: `${who}: computations`, ours: (after - before) / seconds, unit: '/s' },
      { what: `${who}: CPU of the server`, ours: cpu, unit: '%' },
      { what: `${who}: frames read`, ours: Number(frames) / seconds, unit: '/s' },
    ]
  } finally {
    child.kill('SIGKILL')
  }
}

async function cpuShare(durationMs: number): Promise<number> {
  const startedMs = performance.now()
  const before = process.cpuUsage()
  await sleep(durationMs)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 10 / (performance.now() - startedMs)
}

async function computations(url: string): Promise<number> {
  const response = await fetch(`${url}/metrics`)
  const found = /live_table_computations_total (\d+)/.exec(await response.text())
  return Number(found?.[1] ?? Number.NaN)
}

/** The readers' process: counts frames, and tells how many came since it was asked last. */
async function read(readers: number, wsUrl: string): Promise<void> {
  let frames = 0
  let isCounting = false
  process.on('disconnect', () => process.exit(0))
  process.on('message', () => {
    if (isCounting) process.send?.(frames)
    isCounting = true
    frames = 0
  })
  for (let i = 0; i < readers; i += 1) {
    const socket = new WebSocket(`${wsUrl}?id=${i}`)
    socket.on('message', () => {
      frames += 1
    })
    await once(socket, 'open')
    const data = { action: 'subscribe', id: String(i), filter: FILTER }
    socket.send(JSON.stringify({ event: 'meme_tables', data }))
  }
  process.send?.('ready')
}

const [flag, readers, wsUrl] = process.argv.slice(2)
if (flag === READER_FLAG) await read(Number(readers), wsUrl)
