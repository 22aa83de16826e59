import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { FeedEvent } from '../../src/events/event.ts'
import { eventsOfLogs } from '../../src/feeds/chain/transactions/program-logs.ts'
import {
  transactionOfLogsFrame,
  transactionOfRpc,
} from '../../src/feeds/chain/transactions/rpc-json.ts'
import { type FeedCounters, newFeedCounters } from '../../src/feeds/feed-counters.ts'
import { ReplayFeed } from '../../src/feeds/replay/replay.ts'
import { CollectingSink } from '../feeds/collecting-sink.ts'
import { hasData, withData } from '../feeds/data-folder.ts'
import type { Block, BlockTransaction } from '../feeds/peers/chain-blocks.ts'
import { replayOf } from '../feeds/peers/feed-run.ts'
import { PATIENCE } from '../feeds/peers/runs.ts'
import { runSolana } from '../feeds/solana/solana-run.ts'
import { runYellowstone } from '../feeds/yellowstone/yellowstone-run.ts'
import {
  baseRawOf,
  type Expected,
  type ManifestEntry,
  manifest,
  quoteRawOf,
  recordedFile,
  signerNoted,
} from './platform-manifest.ts'

const entries = hasData ? manifest() : []
/** Slot of the first file of a chain of them, one a block; their own are years apart. */
const FIRST_SLOT = 454_000_000

async function replayed(
  entry: ManifestEntry,
): Promise<{ events: readonly FeedEvent[]; counters: FeedCounters }> {
  const sink = new CollectingSink()
  const counters = newFeedCounters()
  const said: string[] = []
  const report = (line: number, reason: string) => said.push(`${line}: ${reason}`)
  const file = recordedFile(entry.file)
  await new ReplayFeed({ file, speed: 'max', report, counters }).start(sink)
  expect(said).toEqual([])
  return { events: sink.all, counters }
}

describe.skipIf(!hasData)(`what the platform does, on real bytes${withData}`, () => {
  test('there are 61 files', () => {
    expect(entries).toHaveLength(61)
  })

  for (const entry of entries) {
    test(`${entry.file} comes to what its manifest expects (${entry.shows || 'nothing'})`, async () => {
      const { events, counters } = await replayed(entry)
      for (const event of events) expect(event).toMatchObject({ signature: entry.signature })
      for (const expected of entry.expected) expectEvent(entry, expected, events)
      const isBoost = entry.shows.includes('BoostBuyAndBurnEvent')
      const swaps = entry.expected.filter(isSwap).length
      const told = events.filter(({ type }) => type === 'swap')
      expect(told).toHaveLength(isBoost ? 0 : swaps)
      expect(counters).toMatchObject({ unknownEvents: 0, unknownTails: 0, unusableEvents: 0 })
      expect(counters).toMatchObject({ contradictoryEvents: 0, unknownPools: 0 })
    })
  }

  test('blocks of an RPC server that hold the same come to the same events', PATIENCE, async () => {
    const chain = chainOf(entries)
    const { events } = await runSolana({ chain, blocks: 'all' })
    expectReplayed(entries, events)
  })

  test('log frames over a WebSocket come to the same events', PATIENCE, async () => {
    const frames = entries.filter(({ file }) => frameOf(file) !== null)
    expect(frames).toHaveLength(11)
    const { events } = await runSolana({ chain: chainOf(frames), blocks: 'gaps', cursor: null })
    expectReplayed(frames, events)
  })

  test(
    'updates of a Yellowstone server that hold whole transactions come to the same events',
    PATIENCE,
    async () => {
      const whole = entries.filter(({ file }) => !file.startsWith('h_'))
      const { events } = await runYellowstone({ chain: chainOf(whole) })
      expectReplayed(whole, events)
    },
  )
})

/** Events by signature are those of one replay of all but for their place in a chain that was made up. */
function expectReplayed(of: readonly ManifestEntry[], events: readonly FeedEvent[]): void {
  // Frames of logs tell no fee, and blocks made of them none that is true.
  const placeless = (event: FeedEvent) => ({ ...event, slot: 0, txIndex: 0, chainFeeRaw: 0n })
  const lines = of.map(({ file }) => JSON.stringify(recordedValue(file)))
  const ofReplay = replayOf(lines).events
  for (const { file, signature } of of) {
    const isOwn = (event: FeedEvent) => 'signature' in event && event.signature === signature
    const own = events.filter(isOwn)
    expect(own.map(placeless), file).toEqual(ofReplay.filter(isOwn).map(placeless))
  }
}

function chainOf(of: readonly ManifestEntry[]) {
  const last = { ...blockOf(of.length, []), transactions: [] }
  const blocks = of.map((entry, n) => blockOf(n, [transactionOf(entry)]))
  return { blocks: [...blocks, last], accounts: new Map<string, Buffer>() }
}

function blockOf(n: number, transactions: readonly BlockTransaction[]): Block {
  const slot = FIRST_SLOT + n
  return { slot, parentSlot: slot - 1, timestamp: 1_791_500_000, transactions }
}

function recordedValue(file: string) {
  const value = JSON.parse(readFileSync(recordedFile(file), 'utf8'))
  return Array.isArray(value) ? value[0] : value
}

/** The frame of a log subscription; null: the file is a transaction. */
function frameOf(file: string): string | null {
  const value = recordedValue(file)
  return transactionOfLogsFrame(value) === null ? null : JSON.stringify(value)
}

function transactionOf({ file }: ManifestEntry): BlockTransaction {
  const value = recordedValue(file)
  const transaction = transactionOfLogsFrame(value) ?? transactionOfRpc(value.result ?? value)
  if (transaction === null) throw new Error(`${file} cannot be read`)
  const { signature, feeRaw, balances, signers, selfCpi, logs } = transaction
  const ofLogs = () => eventsOfLogs(logs ?? []).emitted
  const frame = frameOf(file)
  return {
    ...{ signature, index: 1, hasFailed: false, feeRaw: Number(feeRaw ?? 0n), balances },
    ...(frame === null ? { signers } : { frame, signers: [] }),
    emitted: selfCpi !== null && selfCpi.length > 0 ? selfCpi : ofLogs(),
  }
}

function isSwap(expected: Expected): boolean {
  return 'dir' in expected || ['TradeEvent', 'PostCompleteBuyEvent'].includes(nameOf(expected))
}

function nameOf({ _name }: Expected): string {
  return typeof _name === 'string' ? _name : ''
}

function expectEvent(entry: ManifestEntry, expected: Expected, events: readonly FeedEvent[]): void {
  if ('create' in expected) expectCreated(Object(expected.create), events)
  else if ('migrate' in expected) expectMigrated(Object(expected.migrate), events)
  else if ('dir' in expected) expectSwap(entry, expected, events)
  else expectDecoded(entry, expected, events)
}

/** What a decoded event of the programs comes to. */
function expectDecoded(
  entry: ManifestEntry,
  expected: Expected,
  events: readonly FeedEvent[],
): void {
  const raw = (key: string) => BigInt(String(expected[key]))
  switch (nameOf(expected)) {
    case 'CreateEvent':
      expectCreated(expected, events)
      break
    case 'CompletePumpAmmMigrationEvent':
      expectMigrated(expected, events)
      break
    case 'CompleteEvent': {
      const { mint, bonding_curve: bondingCurve } = expected
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'completed', mint, bondingCurve }),
      )
      break
    }
    case 'TradeEvent':
      expect(events).toContainEqual(
        expect.objectContaining({
          ...{ type: 'swap', source: 'pump', mint: expected.mint, signer: expected.user },
          ...{ direction: expected.is_buy === true ? 'buy' : 'sell', baseRaw: raw('token_amount') },
          ...{ quoteRaw: raw('quote_amount'), virtualBaseRaw: raw('virtual_token_reserves') },
          ...{ virtualQuoteRaw: raw('virtual_quote_reserves'), platformFeeRaw: raw('fee') },
          ...{ creatorFeeRaw: raw('creator_fee'), realBaseRaw: raw('real_token_reserves') },
        }),
      )
      break
    case 'PostCompleteBuyEvent':
      expect(events).toContainEqual(
        expect.objectContaining({
          ...{ type: 'swap', source: 'pump', mint: expected.mint, signer: expected.user },
          ...{ direction: 'buy', pool: expected.bonding_curve, baseRaw: raw('base_out') },
          ...{ quoteRaw: raw('quote_in'), virtualBaseRaw: raw('pool_base_reserves_after') },
          ...{ virtualQuoteRaw: raw('pool_quote_reserves_after'), platformFeeRaw: raw('fee') },
          ...{ creatorFeeRaw: raw('creator_fee'), realBaseRaw: 0n, realQuoteRaw: 0n },
        }),
      )
      break
    case 'CreatePoolEvent': {
      const { base_mint: mint, pool: poolAmm } = expected
      // A pool with a boost has a part of its quote virtual: what makes the price is the same.
      const reserves = { type: 'reserves', mint, source: 'pump_amm', reason: 'pool_opened' }
      expect(events).toContainEqual(
        expect.objectContaining({
          ...{ ...reserves, virtualBaseRaw: raw('pool_base_amount') },
          virtualQuoteRaw: raw('pool_quote_amount'),
        }),
      )
      // Also where the log was cut before the event of the migration; and never twice.
      const migrated = events.filter(({ type }) => type === 'migrated')
      expect(migrated).toMatchObject([{ mint, poolAmm }])
      break
    }
    case 'InitBoostEvent':
      expect(events).toContainEqual(
        expect.objectContaining({
          reason: 'pool_opened',
          realQuoteRaw: raw('real_quote_reserves_after'),
        }),
      )
      break
    default:
      throw new Error(`${entry.file}: nobody reads ${JSON.stringify(expected)}`)
  }
}

function expectSwap(entry: ManifestEntry, expected: Expected, events: readonly FeedEvent[]): void {
  const { mint, source, dir, ordinal, quotemint } = expected
  const at = events.find((event) => 'ordinal' in event && event.ordinal === ordinal)
  const reserves = {
    virtualBaseRaw: BigInt(String(expected.virtual_base_raw_after)),
    virtualQuoteRaw: BigInt(String(expected.virtual_quote_raw_after)),
  }
  // The platform's own: the manifest lists what the programs emit.
  if (entry.shows.includes('BoostBuyAndBurnEvent')) {
    expect(at).toMatchObject({
      type: 'reserves',
      mint,
      source,
      reason: 'boost',
      ...reserves,
    })
    return
  }
  expect(at).toMatchObject({ type: 'swap', mint, source, direction: dir, ...reserves })
  if (at?.type !== 'swap') throw new Error('no swap')
  const noted = signerNoted(entry)
  if (noted === null) expect(at.signer).toBe(expected.signer)
  else expect(at.signer.startsWith(noted)).toBe(true)
  if (expected.pool !== undefined) expect(at.pool).toBe(expected.pool)
  expect(at.baseRaw).toBe(baseRawOf(expected.base))
  expect(at.quoteRaw).toBe(quoteRawOf(expected.quote, quotemint))
  expect(at.platformFeeRaw).toBe(quoteRawOf(expected.platform, quotemint))
  expect(at.creatorFeeRaw).toBe(quoteRawOf(expected.creator, quotemint))
}

function expectCreated(expected: Expected, events: readonly FeedEvent[]): void {
  const { name, symbol, uri, mint, bonding_curve: bondingCurve, user } = expected
  expect(events).toContainEqual(
    expect.objectContaining({
      ...{ type: 'token_created', name, symbol, uri, mint, bondingCurve },
      // Creations of 2024 know no creator: who made the coin is.
      creator: expected.creator ?? user,
      isMayhemMode: expected.is_mayhem_mode ?? false,
    }),
  )
}

function expectMigrated(expected: Expected, events: readonly FeedEvent[]): void {
  const { mint, pool: poolAmm } = expected
  const migrated = events.filter(({ type }) => type === 'migrated')
  expect(migrated).toMatchObject([{ mint, poolAmm }])
}
