/**
 * What replicas cost (`node bench/replicas.ts`; ONLY=latency,following,seeding,polls; KEPT=<folder> for the market that is
 * seeded, which takes minutes to make, and is made once): real nats-servers on loopback, synced
 * at each write. Prints a replica's added latency beside the one-process service, its speed of following beside the fold of
 * its own journal, how long a new one takes to serve, and what a table poll costs of the processor with one and with two.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { NODE_FLAGS } from '../bin/node-flags.js'
import { programPath } from '../bin/program-path.js'
import { Service } from '../src/app/service.ts'
import { readConfig } from '../src/config/config.ts'
import type { StreamSetting } from '../src/config/stream-settings.ts'
import { LATE_SLOTS } from '../src/engine/order/reorder-window.ts'
import type { RecordBatch } from '../src/events/swap-record.ts'
import { NodeDisk } from '../src/store/disk/node-disk.ts'
import { runToEnd } from '../src/store/disk/steps.ts'
import { listDataFiles } from '../src/store/folder/data-folder.ts'
import { Journal } from '../src/store/journal/journal.ts'
import { JournalCopy } from '../src/store/journal/journal-copy.ts'
import { foldJournal } from '../src/store/journal/journal-fold.ts'
import { JournaledEngine } from '../src/store/journal/journaled-engine.ts'
import { archivedEngine } from '../src/store/snapshot/tape-archive.ts'
import { NatsStream } from '../src/stream/nats-stream.ts'
import { StreamFollower } from '../src/stream/stream-follower.ts'
import { StreamWriter } from '../src/stream/stream-writer.ts'
import { startNats } from '../test/nats/nats-servers.ts'
import { freePort } from '../test/process/free-port.ts'
import { plainFields } from './child.ts'
import { latencyHistogram, recordMs } from './drivers/latency.ts'
import { untilMs } from './drivers/open-loop.ts'
import { FrameCounter, subscription, upgrade } from './drivers/ws-frames.ts'
import { EXAMPLE_MINT, swapLine } from './example-line.ts'
import { median, spreadPercent } from './medians.ts'
import { copyOf, newMarket, playHistory, playLive } from './recorded-market.ts'
import { scratchFolder } from './scratch-folder.ts'
import { mainThreadTimes } from './threads.ts'

const ROUNDS = Number(process.env.ROUNDS || 5)
const RATE_PER_SECOND = 200
const WARM_SWAPS = 10_000
const WARM_RATE_PER_SECOND = 2_000
const COUNTED_SWAPS = 600
/** Swaps of the stream that is followed at full speed. */
const FOLLOWED = { tokens: 2_000, historyRate: 12, liveSwaps: 400_000, liveRate: 1_000 }
const WAITING_BYTES = 16 << 20
/** A history has 12 swaps a token. */
const SEEDED = { tokens: 100_000, historyRate: 35, liveSwaps: 1_800_000 }
const POLLS = 3_000
const BUILD = fileURLToPath(new URL('./processes/build-folder.ts', import.meta.url))
const TRADE_BYTES_MIN = 256

const say = (text: string) => process.stdout.write(`${text}\n`)
const scratch = scratchFolder()
let folders = 0
const folder = () => `${scratch.path}/${folders++}`
const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

type Fields = ReturnType<typeof plainFields>

/** A program of ours, and the fields of its line of the log that says so much. */
async function program(
  command: readonly string[],
  settings: Readonly<Record<string, string>>,
  until: RegExp,
): Promise<{ readonly child: ChildProcess; readonly port: number; readonly log: Fields[] }> {
  const env = { ...process.env, RATE_LIMIT: 'off', HOST: '127.0.0.1', ...settings }
  const args = [...NODE_FLAGS, programPath(), ...command]
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'pipe'] })
  children.add(child)
  if (child.stderr === null) throw new Error('no log')
  const log: Fields[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    const fields = plainFields(JSON.parse(line))
    log.push(fields)
    if (!until.test(String(fields.msg))) continue
    child.stderr.resume()
    return { child, port: Number(fields.port), log }
  }
  throw new Error(`the program ended before it said ${until}`)
}

async function end(...ended: readonly ChildProcess[]): Promise<void> {
  for (const child of ended) {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    children.delete(child)
  }
}

/** Latencies from a line's intended time to its trade's last byte. */
async function latencies(input: ChildProcess, port: number) {
  const latency = latencyHistogram()
  const awaited: number[] = []
  const frames = new FrameCounter()
  let isOpen = false
  let isCounted = false
  const buffer = Buffer.allocUnsafe(1 << 16)
  const socket = connect({
    port,
    host: '127.0.0.1',
    onread: {
      buffer,
      callback: (size: number) => {
        if (isOpen)
          frames.read(buffer, size, (bytes) => {
            if (bytes < TRADE_BYTES_MIN) return
            const intendedMs = awaited.shift()
            if (isCounted && intendedMs !== undefined)
              recordMs(latency, performance.now() - intendedMs)
          })
        else socket.write(subscription(EXAMPLE_MINT, 'bench'))
        isOpen = true
        return true
      },
    },
  })
  socket.setNoDelay(true)
  socket.write(upgrade('bench'))
  await sleep(500)
  let from = 0
  const send = async (count: number, ratePerSecond: number) => {
    const startMs = performance.now() + 1
    for (let i = 0; i < count; i++) {
      const intendedMs = startMs + (i * 1_000) / ratePerSecond
      await untilMs(intendedMs)
      awaited.push(intendedMs)
      input.stdin?.write(`${swapLine(from++)}\n`)
    }
    await sleep(1_000)
  }
  await send(WARM_SWAPS, WARM_RATE_PER_SECOND)
  isCounted = true
  await send(COUNTED_SWAPS, RATE_PER_SECOND)
  socket.destroy()
  if (awaited.length > 0) throw new Error(`${awaited.length} trades never came`)
  return { p50Ms: latency.percentile(50) / 1e6, p99Ms: latency.percentile(99) / 1e6 }
}

const AWAKE = { SPIN: 'on', CLOCK: 'event', LOG_LEVEL: 'info' }

async function latencyAlone() {
  const env = { ...AWAKE, FEED: 'stdin', PORT: '0', DATA_DIR: folder() }
  const { child, port } = await program([], env, /^ready/)
  const measured = await latencies(child, port)
  await end(child)
  return measured
}

async function latencyOfReplica(servers: 1 | 3) {
  const nats = await startNats({ servers, sync: 'always', folder: folder() })
  const stream = { NATS_URL: nats.urls.join(','), NATS_REPLICAS: String(servers) }
  try {
    const sequencer = await program(
      ['sequence'],
      { ...AWAKE, ...stream, FEED: 'stdin', DATA_DIR: folder() },
      /^feed started/,
    )
    const replica = await program(
      [],
      { ...AWAKE, ...stream, FEED: 'nats', PORT: '0', DATA_DIR: folder() },
      /^ready/,
    )
    const measured = await latencies(sequencer.child, replica.port)
    await end(sequencer.child, replica.child)
    return measured
  } finally {
    await nats.stopAll()
  }
}

async function latency(): Promise<void> {
  const rounds: { alone: number; one: number; three: number }[] = []
  for (let i = 0; i < ROUNDS; i++) {
    const alone = await latencyAlone()
    const one = await latencyOfReplica(1)
    const three = await latencyOfReplica(3)
    say(`  p50 / p99 ms: alone ${ms(alone)}, one server ${ms(one)}, three ${ms(three)}`)
    rounds.push({ alone: alone.p50Ms, one: one.p50Ms, three: three.p50Ms })
  }
  const added = (name: 'one' | 'three') => median(rounds.map((round) => round[name] - round.alone))
  say(
    `swap in, trade out, p50: one process ${median(rounds.map(({ alone }) => alone)).toFixed(2)} ms`,
  )
  say(`  a replica adds ${added('one').toFixed(2)} ms with one synced server (wanted: 1 at most)`)
  say(`  a replica adds ${added('three').toFixed(2)} ms with three (wanted: 3 at most)`)
}

const ms = ({ p50Ms, p99Ms }: { p50Ms: number; p99Ms: number }) =>
  `${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)}`

function settingOf(urls: readonly string[]): StreamSetting {
  const env = { FEED: 'nats', NATS_URL: urls.join(','), DATA_DIR: folder() }
  const { stream } = readConfig([], env)
  if (stream === null) throw new Error('FEED=nats has a stream')
  return stream
}

async function following(): Promise<void> {
  const nats = await startNats({ servers: 1, sync: 'always', folder: folder() })
  const stream = await NatsStream.connect(settingOf(nats.urls), 'bench')
  try {
    const swaps = await publish(stream)
    const ratios: number[] = []
    for (let i = 0; i < ROUNDS; i++) {
      const copied = folder()
      const follow = swaps / (await secondsToFollow(stream, copied))
      const fold = swaps / secondsToFold(copied)
      ratios.push(follow / fold)
      say(
        `  swaps a second of the thread: followed ${Math.round(follow)}, folded from the journal ${Math.round(fold)}`,
      )
    }
    say(
      `following at full speed: ${median(ratios).toFixed(2)} of the fold from the journal (wanted: 0.9), spread ${spreadPercent(ratios).toFixed(0)} %`,
    )
  } finally {
    await stream.close()
    await nats.stopAll()
  }
}

/** Fills the stream with a market; returns its swaps. */
async function publish(stream: NatsStream): Promise<number> {
  await stream.make('mintfeed')
  const head = await stream.head()
  if (head === null) throw new Error('the stream was not made')
  const service = new Service({ clock: 'event', lateSlots: LATE_SLOTS })
  let most = 0
  const writer = new StreamWriter({
    stream,
    place: { epoch: crypto.randomUUID(), index: 1, seq: 0, crc: 0 },
    created: head.created,
    mayWrite: () => true,
    onStored: ({ index }) => {
      most = index
    },
    onFailed: (failure) => {
      throw failure
    },
  })
  service.engine.settle({ ...service.engine.settings, takesAhead: true })
  const journaled = new JournaledEngine(service.engine, writer)
  journaled.settings()
  const parts: RecordBatch[] = []
  const { book } = service.engine.state
  const market = newMarket(FOLLOWED, book, { records: (batch) => void parts.push(copyOf(batch)) })
  playHistory(market, FOLLOWED)
  playLive(market, FOLLOWED)
  for (const part of parts) {
    journaled.records(part)
    while (writer.waiting.bytes > WAITING_BYTES) await sleep(1)
  }
  await writer.close(120_000)
  say(`  a stream of ${service.engine.seq} events, ${most} messages`)
  return service.engine.seq
}

async function secondsToFollow(stream: NatsStream, place: string): Promise<number> {
  const disk = new NodeDisk()
  disk.makeFolder(place)
  const engine = archivedEngine(disk, place)
  const header = { epoch: crypto.randomUUID(), boot: crypto.randomUUID() }
  const onFailure = (failure: Error) => {
    throw failure
  }
  const journal = new Journal(
    { disk, folder: place, fsync: 'off', ...header, onFailure },
    { seq: 0, crc: 0, segment: 0 },
  )
  const copy = new JournalCopy(engine, journal)
  const follower = new StreamFollower(stream, {
    get seq() {
      return copy.seq
    },
    epoch: null,
    takesRunsWhole: true,
    take(messages) {
      const { seq } = copy
      for (const message of messages) copy.write(message)
      copy.fold(messages, seq)
    },
  })
  const startMs = ranMs()
  const running = follower.run()
  while (!follower.isCaughtUp) await sleep(1)
  const seconds = (ranMs() - startMs) / 1_000
  follower.stop()
  await running
  journal.close()
  return seconds
}

function secondsToFold(place: string): number {
  const disk = new NodeDisk()
  const engine = archivedEngine(disk, place)
  const files = listDataFiles(disk, place)
  const startMs = ranMs()
  runToEnd(foldJournal(engine, { disk, files, from: { seq: 0, segment: 0 } }))
  return (ranMs() - startMs) / 1_000
}

/** Time of this thread on a core: what other programs take does not count. */
const ranMs = () => mainThreadTimes(process.pid).ranMs

async function seeding(): Promise<void> {
  const nats = await startNats({ servers: 1, sync: 'always', folder: folder() })
  const env = { NATS_URL: nats.urls.join(','), CLOCK: 'event', SNAPSHOT_EVERY: '24h' }
  const built = process.env.KEPT || folder()
  if (!existsSync(built)) {
    const unfinished = `${built}.unfinished`
    rmSync(unfinished, { recursive: true, force: true })
    const sizes = [SEEDED.tokens, SEEDED.historyRate, 0, 1, SEEDED.liveSwaps].map(String)
    execFileSync(process.execPath, [...NODE_FLAGS, BUILD, unfinished, ...sizes])
    renameSync(unfinished, built)
  }
  const adminPort = String(await freePort())
  const sequencer = await program(
    ['sequence'],
    { ...env, FEED: 'stdin', DATA_DIR: built, ADMIN_PORT: adminPort },
    /^feed started/,
  )
  // A snapshot of the new stream is made once it has an event.
  const price = { type: 'sol_price', timestamp: Math.floor(Date.now() / 1_000), usd: 150 }
  sequencer.child.stdin?.write(`${JSON.stringify(price)}\n`)
  try {
    const seconds: number[] = []
    for (let i = 0; i < ROUNDS; i++) {
      const port = await freePort()
      const seed = { SEED_URL: `http://127.0.0.1:${adminPort}`, PORT: String(port) }
      const startMs = performance.now()
      const replica = await program(
        [],
        { ...env, ...seed, FEED: 'nats', DATA_DIR: folder() },
        /^ready/,
      )
      let ready = await readiness(port)
      while (ready?.status !== 'ready') {
        await sleep(20)
        ready = await readiness(port)
      }
      seconds.push((performance.now() - startMs) / 1_000)
      say(`  ${partsOf(replica.log, seconds.at(-1) ?? 0)}`)
      if (i === 0) say(`  ${ready.tokens} tokens, ${ready.swaps} swaps`)
      await end(replica.child)
    }
    say(`a new replica serves after ${median(seconds).toFixed(1)} s (wanted: 10 at most)`)
  } finally {
    await end(sequencer.child)
    await nats.stopAll()
  }
}

/** Where the time of a new replica went, by its log. */
function partsOf(log: readonly Fields[], seconds: number): string {
  const said = (start: string) => log.find(({ msg }) => String(msg).startsWith(start))
  const [seeded, recovered] = ['seeded', 'recovered'].map(said)
  const fetchedMs = atMs(seeded) - atMs(log[0])
  const [orderedMs, provenMs, recoveredMs] = [
    Number(seeded?.orderedMs),
    Number(seeded?.provenMs),
    Number(recovered?.durationMs),
  ]
  const parts = {
    'new snapshot': orderedMs,
    proof: provenMs,
    transfer: fetchedMs - orderedMs - provenMs,
    'load and fold': recoveredMs,
    'start and the rest': seconds * 1_000 - fetchedMs - recoveredMs,
  }
  const texts = Object.entries(parts).map(([name, ms]) => `${name} ${(ms / 1_000).toFixed(2)}`)
  return `${seconds.toFixed(1)} s: ${texts.join(', ')}; ${Number(seeded?.bytes) >> 20} MiB`
}

const atMs = (fields: Fields | undefined) => Date.parse(String(fields?.time))

async function readiness(port: number): Promise<ReturnType<typeof plainFields> | null> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`)
    return plainFields(await answer.json())
  } catch {
    return null
  }
}

async function polls(): Promise<void> {
  const nats = await startNats({ servers: 1, sync: 'always', folder: folder() })
  const env = { NATS_URL: nats.urls.join(','), SIM_TOKENS: '2000', SIM_RATE: '200' }
  const sequencer = await program(
    ['sequence'],
    { ...env, FEED: 'sim', DATA_DIR: folder() },
    /^feed started/,
  )
  const replicas = [
    await program([], { ...env, FEED: 'nats', PORT: '0', DATA_DIR: folder() }, /^ready/),
    await program([], { ...env, FEED: 'nats', PORT: '0', DATA_DIR: folder() }, /^ready/),
  ]
  try {
    await sleep(3_000)
    for (const { port } of replicas) await poll(port, POLLS)
    const [one] = await pollAll(replicas.slice(0, 1))
    const [first, second] = await pollAll(replicas)
    say(
      `table polls, ms of the processor for each answer: one replica ${one.toFixed(3)}; two at once ${first.toFixed(3)} and ${second.toFixed(3)}: ` +
        `two serve ${(one / first + one / second).toFixed(2)} times as many on two cores of their own (wanted: 1.8)`,
    )
  } finally {
    await end(sequencer.child, ...replicas.map(({ child }) => child))
    await nats.stopAll()
  }
}

/** Time of the processor for each answer of each, asked at once. */
async function pollAll(
  replicas: readonly { child: ChildProcess; port: number }[],
): Promise<number[]> {
  const before = replicas.map(({ child }) => mainThreadTimes(child.pid ?? 0).ranMs)
  await Promise.all(replicas.map(({ port }) => poll(port, POLLS)))
  return replicas.map(({ child }, i) => (mainThreadTimes(child.pid ?? 0).ranMs - before[i]) / POLLS)
}

async function poll(port: number, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const body = JSON.stringify({ type: 'all', newPools: { mCapUsd: { min: i } } })
    const answer = await fetch(`http://127.0.0.1:${port}/api/v2/meme`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body },
    })
    if (!answer.ok) throw new Error(`a poll was answered ${answer.status}: ${await answer.text()}`)
    await answer.arrayBuffer()
  }
}

const PARTS = { latency, following, seeding, polls }
const only = (process.env.ONLY ?? Object.keys(PARTS).join(',')).split(',')
for (const [name, part] of Object.entries(PARTS)) if (only.includes(name)) await part()
scratch.remove()
process.exit(0)
