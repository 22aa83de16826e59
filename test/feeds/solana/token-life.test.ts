import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { encodeBase58 } from '../../../src/base/base58.ts'
import { Random } from '../../../src/base/random.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { RpcClient } from '../../../src/feeds/solana/rpc-client.ts'
import { type OwnedAccount, RpcQuestions } from '../../../src/feeds/solana/rpc-questions.ts'
import { SolanaSource } from '../../../src/feeds/solana/solana-source.ts'
import { TokenLife } from '../../../src/feeds/solana/token-life.ts'
import { REAL_TIMERS } from '../../../src/feeds/timers.ts'
import { byLength } from '../../lengths.ts'
import { listening } from '../../process/free-port.ts'
import { type Block, lastSlot, type TestChain } from '../peers/chain-blocks.ts'
import { SolanaPeer, type SolanaPeerOptions } from '../peers/solana-peer.ts'
import { syntheticChain } from '../peers/synthetic-chain.ts'
import { TurnTimers } from '../peers/turn-timers.ts'

const NEVER = new AbortController().signal
const BLOCKS = 160

async function serving(options: Omit<SolanaPeerOptions, 'head'>) {
  const peer = new SolanaPeer({ ...options, head: options.chain.blocks.length })
  const url = `http://${await peer.start()}`
  const timers = new TurnTimers()
  onTestFinished(() => {
    peer.stop()
    timers.stop()
  })
  return { peer, url, timers }
}

/** Everything that a reader of whole blocks makes of the chain. */
async function eventsOfBlocks(chain: TestChain): Promise<readonly FeedEvent[]> {
  const { url, timers } = await serving({ chain })
  const about = { rpcUrl: url, wsUrl: url, blocks: 'gaps', counters: newFeedCounters() } as const
  const source = new SolanaSource({ ...about, timers })
  const events: FeedEvent[] = []
  const receiver = {
    transaction: (transaction: { readonly events: readonly FeedEvent[] }) =>
      events.push(...transaction.events),
    slotComplete: () => {},
  }
  await source.backfill(chain.blocks[0].slot, lastSlot(chain), receiver, NEVER)
  return events
}

/** The life of a token as a server tells it. */
async function lifeOf(
  mint: string,
  options: Omit<SolanaPeerOptions, 'head'>,
  from = 0,
  quoteOf: (curve: OwnedAccount | null) => string | null = () => null,
) {
  const { peer, url, timers } = await serving(options)
  const reports: string[] = []
  const client = new RpcClient(url, timers)
  const life = new TokenLife({
    ...{ mint, timers, counters: newFeedCounters(), quoteOf },
    questions: new RpcQuestions(client),
    report: (reason) => reports.push(reason),
  })
  const span = await life.list(from, NEVER)
  const events: FeedEvent[] = []
  let batches = 0
  if (span !== null)
    for await (const batch of life.events(NEVER)) {
      events.push(...batch)
      batches++
    }
  const gaps = events.flatMap((event) =>
    event.type === 'gap' ? [[event.fromSlot, event.toSlot, event.timestamp]] : [],
  )
  const own = events.filter(({ type }) => type !== 'gap')
  return { peer, span, own, gaps, batches, reports, client, isWhole: life.isWhole }
}

function lines(events: readonly FeedEvent[]): readonly string[] {
  const written = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)
  return events.map((event) => JSON.stringify(event, written))
}

function eventsOf(events: readonly FeedEvent[], mint: string): readonly FeedEvent[] {
  return events.filter((event) => 'mint' in event && event.mint === mint)
}

/** Tokens whose creation is on the chain, the most traded in their pools first. */
function createdMints(events: readonly FeedEvent[]): readonly string[] {
  const created = events.flatMap((event) => (event.type === 'token_created' ? [event.mint] : []))
  const traded = (mint: string) =>
    eventsOf(events, mint).filter((event) => event.type === 'swap' && event.source === 'pump_amm')
      .length
  return created.sort((a, b) => traded(b) - traded(a))
}

/** The first two of a block become one at times, as a router trades two tokens in one transaction. */
function withRouters({ blocks, accounts }: TestChain, random: Random): TestChain {
  const merged = ({ transactions, ...block }: Block): Block => {
    const [one, two, ...rest] = transactions
    if (one === undefined || two === undefined || one.hasFailed || two.hasFailed)
      return { ...block, transactions }
    if (!random.chance(0.5)) return { ...block, transactions }
    const both = {
      ...one,
      emitted: [...one.emitted, ...two.emitted],
      balances: [...one.balances, ...two.balances],
    }
    return { ...block, transactions: [both, ...rest] }
  }
  return { blocks: blocks.map(merged), accounts }
}

/** What a server has and lacks, and how it answers. */
const SERVERS: readonly ((random: Random) => Omit<SolanaPeerOptions, 'head' | 'chain'>)[] = [
  () => ({}),
  () => ({ lists: { pageEntries: 7 }, hidesIndexes: true }),
  () => ({ lists: { pageEntries: 13, tellsIndex: false } }),
  () => ({ lists: { pageEntries: 3, tellsIndex: false }, hidesIndexes: true }),
  (random) => ({
    lists: { pageEntries: 11, tellsIndex: random.chance(0.5) },
    hidesIndexes: random.chance(0.5),
    isTired: () => random.chance(0.04),
    loses: () => random.chance(0.1),
  }),
]

test.each([1, 2, 3, 4, 5].slice(0, byLength(1, 5)))(
  'the life of a token is what a reader of blocks has of it, byte for byte (seed %i)',
  async (seed) => {
    const random = new Random(seed, 5)
    const chain = withRouters(syntheticChain(seed + 70, BLOCKS), random)
    const all = await eventsOfBlocks(chain)
    const mints = createdMints(all)
    const migrated = mints.filter((mint) =>
      eventsOf(all, mint).some(({ type }) => type === 'migrated'),
    )
    expect(migrated.length).toBeGreaterThan(0)
    for (const server of SERVERS)
      for (const mint of [...migrated.slice(0, 1), ...mints.slice(-1)]) {
        const expected = eventsOf(all, mint)
        const { own, gaps, isWhole, batches, reports } = await lifeOf(mint, {
          ...{ chain, ...server(random) },
        })
        expect(lines(own)).toEqual(lines(expected))
        const [{ timestamp }] = expected
        const first = 'slot' in expected[0] ? Number(expected[0].slot) : 0
        expect(gaps).toHaveLength(1)
        expect(gaps[0][0]).toBe(0)
        expect(gaps[0][1]).toBeLessThan(first)
        expect(gaps[0][2]).toBe(timestamp)
        expect(batches).toBeLessThanOrEqual(BLOCKS)
        expect({ isWhole, reports }).toEqual({ isWhole: true, reports: [] })
      }
  },
  120_000,
)

async function chainOf(seed: number) {
  const chain = syntheticChain(seed, BLOCKS)
  const all = await eventsOfBlocks(chain)
  const [mint] = createdMints(all)
  return { chain, mint, expected: eventsOf(all, mint) }
}

const slotOf = (event: FeedEvent) => ('slot' in event ? Number(event.slot) : -1)

test('blocks are asked for where nothing else tells the order, each once', async () => {
  const { chain, mint, expected } = await chainOf(80)
  const told = await lifeOf(mint, { chain })
  expect(told.peer.askedBlocks).toEqual([])
  const signatures = new Set(expected.map((event) => 'signature' in event && event.signature))
  expect(told.peer.asked.get('getTransaction')).toBe(signatures.size)
  const listed = await lifeOf(mint, { chain, hidesIndexes: true })
  expect([listed.peer.askedBlocks, lines(listed.own)]).toEqual([[], lines(expected)])
  const untold = await lifeOf(mint, { chain, lists: { tellsIndex: false }, hidesIndexes: true })
  const slots = [...new Set(expected.map(slotOf))]
  expect([...untold.peer.askedBlocks].sort()).toEqual(slots)
})

test('a run behind another one goes on where it was', async () => {
  const { chain, mint, expected } = await chainOf(81)
  const from = slotOf(expected[expected.length >> 1])
  const { own, gaps, isWhole, peer } = await lifeOf(
    mint,
    { chain, lists: { pageEntries: 5 } },
    from,
  )
  const later = expected.filter((event) => slotOf(event) >= from)
  expect(lines(own)).toEqual(lines(later))
  expect([gaps, isWhole]).toEqual([[], true])
  const all = await lifeOf(mint, { chain, lists: { pageEntries: 5 } })
  const asked = (one: SolanaPeer) => one.asked.get('getSignaturesForAddress') ?? 0
  expect(asked(peer)).toBeLessThan(asked(all.peer))
  const none = await lifeOf(mint, { chain }, lastSlot(chain) + 1)
  expect([none.span, none.isWhole, none.reports]).toEqual([null, true, []])
})

test('a transaction that the server has lost is told, and its slot is a gap', async () => {
  const { chain, mint, expected } = await chainOf(82)
  const victim = expected[expected.length >> 1]
  const signature = 'signature' in victim ? victim.signature : ''
  const loses = (asked: string) => asked === signature
  // Its block has it still.
  const inBlock = await lifeOf(mint, { chain, loses })
  expect(lines(inBlock.own)).toEqual(lines(expected))
  expect([inBlock.isWhole, inBlock.peer.askedBlocks]).toEqual([true, [slotOf(victim)]])
  // The next of several machines behind the address has it.
  let times = 0
  const losesTwice = (asked: string) => asked === signature && ++times < 3
  const late = await lifeOf(mint, { chain, loses: losesTwice, firstBlock: lastSlot(chain) + 1 })
  expect(lines(late.own)).toEqual(lines(expected))
  expect([late.isWhole, times]).toEqual([true, 3])
  const { own, gaps, isWhole, reports } = await lifeOf(mint, {
    ...{ chain, loses, firstBlock: lastSlot(chain) + 1 },
  })
  const rest = expected.filter((event) => !('signature' in event && event.signature === signature))
  expect(lines(own)).toEqual(lines(rest))
  const behind = rest.find((event) => slotOf(event) >= slotOf(victim))
  expect(gaps[1]).toEqual([slotOf(victim), slotOf(victim), behind?.timestamp])
  expect(isWhole).toBe(false)
  expect(reports).toEqual([expect.stringContaining(`${signature} of slot ${slotOf(victim)}`)])
})

test('many lost transactions are told one by one at first, and counted at the end', async () => {
  const { chain, mint } = await chainOf(82)
  const { own, reports, isWhole } = await lifeOf(mint, {
    ...{ chain, hidesTransactions: true, firstBlock: lastSlot(chain) + 1 },
  })
  expect([own, isWhole]).toEqual([[], false])
  expect(reports).toHaveLength(12)
  expect(reports.join()).toMatch(/\d\d transactions are missing in all/)
})

test('a server that cannot tell all of it is told as such', async () => {
  const { chain, mint, expected } = await chainOf(83)
  const lacks = (method: string, code = -32_601) =>
    lifeOf(mint, { chain, refuses: { method, code } })
  const without = await lacks('getSignaturesForAddress')
  expect([without.own, without.isWhole]).toEqual([[], false])
  expect(without.reports).toEqual([expect.stringContaining('lacks getSignaturesForAddress')])
  const silent = await lacks('getTransaction')
  expect([silent.own, silent.isWhole]).toEqual([[], false])
  expect(silent.reports).toEqual([expect.stringContaining('not from this node')])
  const firstSlot = slotOf(expected[expected.length >> 1])
  const cut = await lifeOf(mint, { chain, lists: { firstSlot } })
  expect(lines(cut.own)).toEqual(lines(expected.filter((event) => slotOf(event) >= firstSlot)))
  expect(cut.isWhole).toBe(false)
  expect(cut.reports).toEqual([expect.stringContaining('does not list the creation')])
  const unknown = await lifeOf(MINT, {
    ...{ chain: { ...chain, blocks: chain.blocks.slice(0, 1).map(withoutAny) } },
  })
  expect([unknown.span, unknown.isWhole]).toEqual([null, false])
  expect(unknown.reports).toEqual(['the RPC server lists no transaction of the token'])
})

test('a pool that is quoted in another coin is found by the curve, and an unexpected one is told', async () => {
  const { chain, mint, expected } = await chainOf(80)
  const migration = expected.find(({ type }) => type === 'migrated')
  expect(migration).toBeDefined()
  const asked: (OwnedAccount | null)[] = []
  const quoteOf = (curve: OwnedAccount | null) => {
    asked.push(curve)
    return mint
  }
  const { own, gaps, isWhole, reports } = await lifeOf(mint, { chain }, 0, quoteOf)
  expect(asked).toHaveLength(1)
  const isOfCurve = (event: FeedEvent) => event.type !== 'swap' || event.source === 'pump'
  expect(lines(own)).toEqual(lines(expected.filter(isOfCurve)))
  expect(own.length).toBeLessThan(expected.length)
  expect([gaps.length, gaps[1][1], isWhole]).toEqual([2, lastSlot(chain), false])
  expect(reports).toEqual([expect.stringContaining('it is none that was expected')])
})

/** A server that lists what `page` gives, whatever else is asked for. */
async function listed(page: (before: string | null) => readonly object[]) {
  const server = createServer(async (request, response) => {
    const { method, params } = JSON.parse(await text(request))
    const none = { context: { slot: 1 }, value: [null] }
    const lists = { getSlot: 1_000_000, getMultipleAccounts: none }
    const isList = method === 'getSignaturesForAddress'
    const result = isList ? page(params[1].before ?? null) : Reflect.get(lists, method)
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  })
  const url = `http://127.0.0.1:${await listening(server)}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const reports: string[] = []
  const life = new TokenLife({
    ...{ mint: MINT, counters: newFeedCounters(), quoteOf: () => null },
    questions: new RpcQuestions(new RpcClient(url, REAL_TIMERS)),
    report: (reason) => reports.push(reason),
  })
  expect(await life.list(0, NEVER)).toBeNull()
  expect(life.isWhole).toBe(false)
  return reports
}

const MINT = 'So11111111111111111111111111111111111111112'
const signature = (n: number) => encodeBase58(Buffer.from(String(n).padStart(40, 'x')))

test('a server that lists the same again and again is asked no more', async () => {
  const same = [3, 2, 1].map((n) => ({ signature: signature(n), slot: n, err: null }))
  expect(await listed(() => same)).toEqual([expect.stringContaining('another order')])
  const ofSlot = same.map((one) => ({ ...one, slot: 7 }))
  expect(await listed(() => ofSlot)).toEqual([expect.stringContaining('another order')])
})

test('a token of more transactions than are listed is refused with what to do', async () => {
  let pages = 0
  const reports = await listed(() => {
    const first = pages++ * 1_000
    return Array.from({ length: 1_000 }, (_, n) => ({ signature: signature(first + n), slot: 5 }))
  })
  expect(pages).toBe(501)
  expect(reports).toEqual([expect.stringContaining('more than 500,000 transactions')])
  expect(reports).toEqual([expect.stringContaining('--from and --to')])
})

function withoutAny(block: Block): Block {
  return { ...block, transactions: [] }
}
