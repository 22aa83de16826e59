/**
 * A start in the middle of a day of the chain (`make history`; BLOCKS, SERVER=yellowstone or rpc): a mock server plays on
 * while the first half is fetched. Prints how soon live trades are served, how far behind they ever are, how fast the
 * history comes in, loop delay and memory meanwhile, and whether all answers equal those of an engine that saw everything.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { NODE_FLAGS } from '../bin/node-flags.js'
import { programPath } from '../bin/program-path.js'
import { NodeDisk } from '../src/store/disk/node-disk.ts'
import { runToEnd } from '../src/store/disk/steps.ts'
import { listDataFiles } from '../src/store/folder/data-folder.ts'
import { loadNewest } from '../src/store/recovery/recovery.ts'
import { archivedEngine } from '../src/store/snapshot/tape-archive.ts'
import { lastSlot, type TestChain, withStart } from '../test/feeds/peers/chain-blocks.ts'
import { replayOf } from '../test/feeds/peers/feed-run.ts'
import { GeyserPeer } from '../test/feeds/peers/geyser-peer.ts'
import { transactionLines } from '../test/feeds/peers/rpc-forms.ts'
import { SolanaPeer } from '../test/feeds/peers/solana-peer.ts'
import { syntheticChain } from '../test/feeds/peers/synthetic-chain.ts'
import { everyRead, firstUnlike } from '../test/model/every-read.ts'
import { plainFields } from './child.ts'
import { scratchFolder } from './scratch-folder.ts'

const BLOCKS = Number(process.env.BLOCKS || 44_000)
const SERVER = process.env.SERVER || 'yellowstone'
/** Between two live blocks. */
const PACE_MS = 50
/** Some 23 hours for 44,000 blocks, with the slots that are skipped. */
const SLOTS_APART = 4
const SAMPLE_MS = 100
/** How long the same is looked at without a history. */
const ALONE_MS_MAX = 30_000
const PROBE = fileURLToPath(new URL('./processes/loop-delay-probe.ts', import.meta.url))

const say = (text: string) => process.stdout.write(`${text}\n`)

/** Blocks that the server has come to; the chain stands still from `end` on. */
class Chain {
  readonly whole: TestChain
  #end = Number.POSITIVE_INFINITY

  constructor(whole: TestChain) {
    this.whole = whole
  }

  /** The chain up to where it stands. */
  get played(): TestChain {
    const { blocks, accounts } = this.whole
    return { blocks: blocks.slice(0, this.#end), accounts }
  }

  stand(slot: number): void {
    this.#end = this.whole.blocks.findIndex((block) => block.slot === slot) + 1
  }
}

class Program {
  readonly #child
  readonly lines: string[] = []
  url = ''

  constructor(settings: Readonly<Record<string, string>>) {
    const env = {
      ...{
        HOST: '127.0.0.1',
        PORT: '0',
        RATE_LIMIT: 'off',
        SOL_PRICE: 'fixed:150',
        CLOCK: 'event',
      },
      ...settings,
    }
    this.#child = spawn(process.execPath, [...NODE_FLAGS, '--import', PROBE, programPath()], {
      env,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    process.once('exit', () => this.#child.kill('SIGKILL'))
  }

  async started(): Promise<void> {
    if (this.#child.stderr === null) throw new Error('a pipe was asked for')
    for await (const line of createInterface({ input: this.#child.stderr })) {
      this.lines.push(line)
      this.url = /"url":"([^"]+)".*"msg":"ready"/.exec(line)?.[1] ?? ''
      if (this.url !== '') break
    }
    createInterface({ input: this.#child.stderr }).on('line', (line) => this.lines.push(line))
  }

  async figures(): Promise<Readonly<Record<string, number>>> {
    const answer = plainFields(await (await fetch(`${this.url}/readyz`)).json())
    return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, Number(value)]))
  }

  /** p99.9 of the loop's delay since the last call, in ms. */
  async delayMs(): Promise<number> {
    const answered = once(this.#child, 'message')
    this.#child.send({})
    const [message] = await answered
    return Number(plainFields(message).delayMs)
  }

  get residentMebibytes(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'latin1')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024
  }

  async end(): Promise<void> {
    this.#child.kill('SIGTERM')
    await once(this.#child, 'exit')
  }
}

/** All answers that a folder's newest snapshot gives. */
function answersOf(folder: string, chain: TestChain): ReadonlyMap<string, string> {
  const disk = new NodeDisk()
  const newEngine = () => archivedEngine(disk, folder)
  const loaded = runToEnd(loadNewest(disk, listDataFiles(disk, folder).snapshots, newEngine))
  if (loaded === null) throw new Error(`no snapshot in ${folder}`)
  return everyRead(loaded.engine, replayOf(transactionLines(chain)).events)
}

async function peerOf(chain: TestChain, head: number, paceMs: number, server: string) {
  const pace = () => sleep(paceMs)
  if (server === 'yellowstone') {
    const peer = new GeyserPeer({ chain, head, pace })
    return { peer, settings: { FEED: 'yellowstone', YELLOWSTONE_URL: await peer.start() } }
  }
  const peer = new SolanaPeer({ chain, head, pace, firstBlock: chain.blocks[0]?.slot ?? 0 })
  const url = `http://${await peer.start()}`
  const urls = { SOLANA_RPC_URL: url, SOLANA_WS_URL: url.replace('http', 'ws') }
  return { peer, settings: { FEED: 'solana', SOLANA_BLOCKS: 'all', HISTORY_RPS: '1000', ...urls } }
}

async function run(): Promise<void> {
  const chain = new Chain(syntheticChain(31, BLOCKS, SLOTS_APART))
  const { blocks } = chain.whole
  const hours = ((blocks.at(-1)?.timestamp ?? 0) - (blocks[0]?.timestamp ?? 0)) / 3_600
  say(`${SERVER}: ${blocks.length} blocks with ours, ${hours.toFixed(1)} h`)
  const { peer, settings } = await peerOf(chain.whole, BLOCKS >> 1, PACE_MS, SERVER)
  const folder = scratchFolder().path
  const playing = peer.play()
  const program = new Program({ ...settings, DATA_DIR: folder, HISTORY: '24h' })
  await program.started()
  const readyMs = performance.now()
  let servedMs: number | null = null
  let behindMsMax = 0
  let behindSinceMs = 0
  let slot = -1
  let residentMax = 0
  let swaps = 0
  await program.delayMs()
  for (;;) {
    const figures = await program.figures()
    const nowMs = performance.now()
    if (figures.feed_slot > 0) servedMs ??= nowMs
    if (figures.feed_slot !== slot) behindSinceMs = nowMs
    slot = figures.feed_slot ?? -1
    if (servedMs !== null) behindMsMax = Math.max(behindMsMax, nowMs - behindSinceMs)
    residentMax = Math.max(residentMax, program.residentMebibytes)
    swaps = figures.swaps ?? 0
    if (figures.history_under_way === 0) break
    await sleep(SAMPLE_MS)
  }
  const inMs = performance.now()
  const delayMs = await program.delayMs()
  await sleep(Math.min(inMs - readyMs, ALONE_MS_MAX))
  const aloneMs = await program.delayMs()
  peer.stop()
  await playing
  await sleep(2_000)
  const last = (await program.figures()).feed_slot ?? 0
  const residentEnd = program.residentMebibytes
  await program.end()
  chain.stand(last)
  const seconds = (inMs - readyMs) / 1_000
  say(
    `live trades served after ${(((servedMs ?? inMs) - readyMs) / 1_000).toFixed(2)} s; longest time without a new slot ${behindMsMax.toFixed(0)} ms`,
  )
  say(`history in after ${seconds.toFixed(1)} s, ${Math.round(swaps / seconds)} swaps a second`)
  say(
    `loop delay p99.9 meanwhile ${delayMs.toFixed(1)} ms, with live trades alone ${aloneMs.toFixed(1)} ms`,
  )
  say(
    `memory at most ${residentMax.toFixed(0)} MB, in the end ${residentEnd.toFixed(0)} MB (${(residentMax / residentEnd).toFixed(2)} x)`,
  )
  const whole = scratchFolder().path
  // A subscription of logs begins in the middle of a slot.
  const all = await peerOf(withStart(chain.played), 0, 0, 'yellowstone')
  const seen = new Program({ ...all.settings, DATA_DIR: whole, HISTORY: 'off' })
  const startMs = performance.now()
  const replaying = all.peer.play()
  await seen.started()
  while (((await seen.figures()).feed_slot ?? 0) < lastSlot(chain.played)) await sleep(SAMPLE_MS)
  const rate = ((await seen.figures()).swaps ?? 0) / ((performance.now() - startMs) / 1_000)
  say(
    `the same chain live from its beginning: ${Math.round(rate)} swaps a second, ${seen.residentMebibytes.toFixed(0)} MB`,
  )
  await seen.end()
  all.peer.stop()
  await replaying
  const unlike = firstUnlike(answersOf(folder, chain.played), answersOf(whole, chain.played))
  say(unlike === null ? 'all answers are equal' : `THE ANSWERS DIFFER: ${unlike}`)
  process.exitCode = unlike === null ? 0 : 1
}

await run()
