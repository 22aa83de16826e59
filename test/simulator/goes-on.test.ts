import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { EngineMarket } from '../../src/app/feeds/engine-market.ts'
import { encodeBase58 } from '../../src/base/base58.ts'
import { Random } from '../../src/base/random.ts'
import { Engine } from '../../src/engine/engine.ts'
import { swapOfRecord } from '../../src/engine/read/swap-outtake.ts'
import { flagsOf, isCompleting } from '../../src/engine/state/lanes.ts'
import { TokenFlag, TokenLane } from '../../src/engine/state/layout.ts'
import type { FeedEvent, TokenCreated } from '../../src/events/event.ts'
import type { RecordSink } from '../../src/events/event-sink.ts'
import { RecordBatch, SwapLane, walletOf } from '../../src/events/swap-record.ts'
import { Market } from '../../src/feeds/simulator/market.ts'
import { History, SimulatorFeed } from '../../src/feeds/simulator/simulator.ts'
import { isMadeUpUri, randomCid, randomMint } from '../../src/feeds/simulator/world/token-text.ts'
import { turnsClock } from '../turns-clock.ts'
import { START } from './audited-market.ts'
import { Auditor } from './auditor.ts'
import { namesOf } from './names.ts'

const TOKENS = 500
const RATE = 5_000
const HOUR = 3_600
/** At the rate of a start without settings. */
const SWAPS_IN_25_S = 1_250

const CREATION: Omit<TokenCreated, 'mint' | 'uri' | 'timestamp'> = {
  ...{ type: 'token_created', slot: 1, txIndex: 0, ordinal: 0, signature: 'created' },
  ...{ name: 'real', symbol: 'REAL', creator: 'creator', bondingCurve: 'curve' },
  ...{ tokenProgram: '', isMayhemMode: false, supplyRaw: 10n ** 15n, decimals: 6 },
  ...{ virtualBaseRaw: 1_073_000_000_000_000n, virtualQuoteRaw: 30_000_000_000n },
  realBaseRaw: 793_100_000_000_000n,
}

/** A folder's engine over several runs of the simulator, each event of which is audited. */
class Folder {
  readonly engine = new Engine({ clock: 'event' })
  readonly #auditor: Auditor
  readonly #nowMs = turnsClock()
  /** Not where a run ends in the middle of a history: the price may be told a second time for its last seconds. */
  isAudited = true
  seconds = START

  constructor() {
    this.#auditor = new Auditor(() => this.seconds, namesOf(this.engine.state.book))
  }

  /** A run that begins after a pause and ends once `swaps` more were traded, or as soon as it can be. */
  async run(pauseSeconds: number, swaps: number, seed = 3): Promise<void> {
    const before = this.engine.state.tape.count
    await this.#run(pauseSeconds, seed, (batch) => {
      if (this.isAudited) this.#auditor.records(batch)
      this.engine.records(batch)
      return this.engine.state.tape.count - before < swaps
    })
    this.#auditor.close()
  }

  /** A run of which all is lost behind an event; returns the token of that one. Nothing is audited from here on. */
  async cut(isLast: (event: FeedEvent, isComplete: boolean) => boolean): Promise<number> {
    this.isAudited = false
    const { engine } = this
    const { book } = engine.state
    let found = -1
    const look = (event: FeedEvent): void => {
      if (!('mint' in event)) return
      const token = book.token(event.mint)
      const isComplete = isCompleting(engine.state, token)
      if (isLast(event, isComplete && engine.state.tokens.get(token, TokenLane.realBaseLo) === 0))
        found = token
    }
    await this.#run(0, 3, (batch) => {
      batch.walk(
        (from, to) => {
          for (let record = from; record < to && found < 0; record++) {
            const at = RecordBatch.u32At(record)
            const lanes = { u32: batch.u32, f64: batch.f64, at }
            const swap = swapOfRecord(lanes, book)
            engine.acceptRecords(batch, record, record + 1)
            look(swap)
          }
        },
        (event) => {
          if (found >= 0) return
          engine.accept(event)
          look(event)
        },
      )
      return found < 0
    })
    return found
  }

  async #run(
    pauseSeconds: number,
    seed: number,
    goesOn: (batch: RecordBatch) => boolean,
  ): Promise<void> {
    const { engine } = this
    this.seconds = Math.ceil(this.seconds) + pauseSeconds
    const startSeconds = this.seconds
    const beganMs = this.#nowMs()
    const feed = new SimulatorFeed({
      ...{ seed, tokens: TOKENS, rate: RATE, startSeconds },
      addressBook: this.#auditor.names,
      held: engine.seq === 0 ? null : new EngineMarket(engine),
      clock: () => {
        this.seconds = startSeconds + (this.#nowMs() - beganMs) / 1000
        return this.seconds
      },
    })
    const sink: RecordSink = {
      records: (batch) => {
        if (!goesOn(batch)) feed.stop()
      },
    }
    await feed.start(sink)
  }

  get createdTokens(): number {
    return this.#auditor.tokens.size
  }

  swapsOf(token: number): number {
    return this.engine.state.tokens.get(token, TokenLane.swaps)
  }

  /** The heads of the tables, as a board shows them. */
  heads(): Record<'new' | 'completing' | 'graduated', number[]> {
    const { order } = this.engine
    const head = (tokens: number[]): number[] => tokens.slice(-30)
    return {
      new: head(order.new.tokens),
      completing: head(order.completing.tokens),
      graduated: head(order.graduated.tokens),
    }
  }
}

test.each([1, 2])(
  'a market that was stopped goes on by the same rules, to the raw unit (seed %i)',
  async (seed) => {
    // The auditor throws at the first event that does not follow from all before, of whichever run.
    const folder = new Folder()
    await folder.run(0, 20_000, seed)
    const created = folder.createdTokens
    for (const [pause, live] of [
      [0, 1],
      [1, 8_000],
      [HOUR, 3_000],
      [30 * HOUR, 8_000],
    ])
      await folder.run(pause, live, seed)
    const { counts } = folder.engine
    expect([counts.lateRefused, counts.duplicates, counts.secondCreations]).toEqual([0, 0, 0])
    expect(folder.createdTokens).toBeGreaterThan(created)
  },
)

test('after any number of starts what stands at the head of a board trades on', async () => {
  const folder = new Folder()
  folder.isAudited = false
  await folder.run(0, 5_000)
  for (const pause of [0, 5, HOUR]) {
    await folder.run(pause, 0)
    const heads = folder.heads()
    const before = new Map(
      Object.values(heads).flatMap((head) => head.map((t) => [t, folder.swapsOf(t)])),
    )
    await folder.run(0, SWAPS_IN_25_S)
    const moved = (head: readonly number[]): number =>
      head.filter((token) => folder.swapsOf(token) !== before.get(token)).length
    expect(heads.completing.length).toBeGreaterThan(3)
    expect(moved(heads.completing)).toBe(heads.completing.length)
    expect(moved(heads.graduated)).toBeGreaterThan(heads.graduated.length / 3)
  }
})

test('however long a market runs, the curves nearest to completion are traded', () => {
  const engine = new Engine({ clock: 'event' })
  const { book } = engine.state
  const options = { seed: 2, tokens: 500, startSeconds: START, addressBook: book }
  const market = new Market(options, engine)
  const history = new History(market, { tokens: 500, rate: 50, endSeconds: START })
  while (!history.step());
  let seconds = START
  const run = (swaps: number): void => {
    for (let made = 0; made < swaps; made += 50) market.run(50, ++seconds)
    market.flush()
  }
  run(100_000)
  const head = engine.order.completing.tokens.slice(-30)
  const swapsOf = (token: number): number => engine.state.tokens.get(token, TokenLane.swaps)
  const before = head.map(swapsOf)
  run(SWAPS_IN_25_S)
  expect(head).toHaveLength(30)
  expect(head.filter((token, place) => swapsOf(token) === before[place])).toEqual([])
})

test('what the wallets of the market traded before they trade again', async () => {
  const folder = new Folder()
  await folder.run(0, 10_000)
  const { wallets } = folder.engine.state.book.counts
  await folder.run(60, 2_000)
  const { tape } = folder.engine.state
  let known = 0
  for (let index = tape.count - 2_000; index < tape.count; index++)
    if (walletOf(tape.u32Of(index), tape.at(index)) < wallets) known++
  expect(known).toBeGreaterThan(1_400)
})

test('a pause is told as the day before a first start is: no hour of the day is empty', async () => {
  const folder = new Folder()
  folder.isAudited = false
  await folder.run(0, 2_000)
  await folder.run(10 * HOUR, 1)
  const { tape } = folder.engine.state
  const hours = new Set<number>()
  for (let index = 0; index < tape.count; index++) {
    const seconds = tape.u32Of(index)[tape.at(index) + SwapLane.timestamp]
    hours.add(Math.floor((folder.seconds - seconds) / HOUR))
  }
  for (let hour = 0; hour < 24; hour++) expect(hours).toContain(hour)
})

test.each([
  [
    'its curve is complete',
    ({ type }: FeedEvent, isComplete: boolean) => type === 'swap' && isComplete,
  ],
  ['that was told', ({ type }: FeedEvent) => type === 'completed'],
  [
    'its pool has opened',
    (event: FeedEvent) => event.type === 'reserves' && event.reason === 'pool_opened',
  ],
] as const)('a token migrates though all was lost from when %s on', async (_, isLast) => {
  const folder = new Folder()
  const { state } = folder.engine
  const token = await folder.cut(isLast)
  expect(isCompleting(state, token)).toBe(true)
  await folder.run(2, 2_000)
  expect(flagsOf(state, token) & TokenFlag.graduated).not.toBe(0)
  expect(folder.engine.counts.lateRefused).toBe(0)
  const before = folder.swapsOf(token)
  await folder.run(0, 2_000)
  expect(folder.swapsOf(token)).toBeGreaterThan(before)
})

test('tokens that another feed told are left alone, and the simulator begins beside them', async () => {
  const folder = new Folder()
  folder.isAudited = false
  const uri = 'https://ipfs.io/ipfs/QmNLei78zWmzUdbeRB3CiUfAizWUrbeeZh5K1rhAQKCh51'
  const mint = randomMint(new Random(1), true)
  folder.engine.accept({ ...CREATION, mint, uri, timestamp: START - 1 })
  const token = folder.engine.state.book.token(mint)
  await folder.run(0, 2_000)
  await folder.run(1, 5_000)
  expect(folder.engine.state.tokens.count).toBeGreaterThan(TOKENS)
  expect(folder.swapsOf(token)).toBe(0)
  expect(folder.engine.counts.lateRefused).toBe(0)
})

test('a uri of the simulator is known by the digit that no content id of a file has', () => {
  const random = new Random(5)
  for (let i = 0; i < 1_000; i++)
    expect(isMadeUpUri(`https://ipfs.io/ipfs/${randomCid(random)}`)).toBe(true)
  for (let i = 0; i < 1_000; i++) {
    const id = encodeBase58(Buffer.concat([Buffer.from([0x12, 0x20]), digest(i)]))
    expect(isMadeUpUri(`https://ipfs.io/ipfs/${id}`)).toBe(false)
  }
  for (const uri of [
    '',
    'Qm2',
    '/Qm',
    'https://ipfs.io/ipfs/bafkreia',
    `https://x.io/Qm${'2'.repeat(45)}`,
  ])
    expect(isMadeUpUri(uri)).toBe(false)
})

function digest(number: number): Uint8Array {
  return createHash('sha256').update(String(number)).digest()
}
