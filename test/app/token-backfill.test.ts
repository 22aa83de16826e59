import { readdirSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { backfill } from '../../src/app/backfill.ts'
import { Durability } from '../../src/app/durability.ts'
import { Service } from '../../src/app/service.ts'
import { readConfig } from '../../src/config/config.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { answersOf, replayOf } from '../feeds/peers/feed-run.ts'
import { transactionLines } from '../feeds/peers/rpc-forms.ts'
import { SolanaPeer, type SolanaPeerOptions } from '../feeds/peers/solana-peer.ts'
import { chainOfToken } from '../feeds/peers/token-chain.ts'
import { newFolder } from '../new-folder.ts'

const { chain, mint } = chainOfToken(43, 200)
const head = chain.blocks.length
const NOBODY = { begin: () => {}, to: () => {} }

/** Fills a folder with a token by a server of this kind. */
async function filled(
  folder: string,
  token: string,
  options: Omit<SolanaPeerOptions, 'chain'> = {},
  settings: Readonly<Record<string, string>> = {},
) {
  const peer = new SolanaPeer({ chain, head, ...options })
  const url = `http://${await peer.start()}`
  onTestFinished(() => peer.stop())
  const environment = { FEED: 'solana', SOLANA_RPC_URL: url, SOL_PRICE: 'fixed:150' }
  const reports: string[] = []
  const outcome = await backfill({
    config: readConfig([], { ...environment, HISTORY_RPS: '1000', ...settings }),
    ...{ folder, wanted: { mint: token }, progress: NOBODY },
    report: (reason) => reports.push(reason),
    signal: new AbortController().signal,
  })
  return { ...outcome, reports, peer }
}

const { events: ALL } = replayOf(transactionLines(chain))
const log = { info: () => {}, warn: () => {}, error: () => {} }
const NOTHING = { onDiskCall: () => {}, onFailure: () => {}, onSeeding: () => {} }

function isOf(event: FeedEvent, token: string): boolean {
  return 'mint' in event && event.mint === token
}

async function inFolder<T>(folder: string, use: (service: Service) => T): Promise<T> {
  const config = readConfig([], { DATA_DIR: folder, CLOCK: 'event', FEED: 'stdin' })
  const service = new Service(config)
  const durability = await Durability.open({ config, folder, service, log, ...NOTHING })
  const result = use(service)
  await durability.close()
  return result
}

/** A service takes these events live, and is stopped; `start` is the last slot that it did not see, and a time. */
function lived(
  folder: string,
  events: readonly FeedEvent[],
  start: { readonly slot: number; readonly timestamp: number } | null,
): Promise<string> {
  return inFolder(folder, (service) => {
    if (start !== null) {
      const { slot, timestamp } = start
      service.events([{ type: 'sol_price', usd: 150, timestamp }])
      service.events([{ type: 'gap', state: 'lost', fromSlot: 0, toSlot: slot, timestamp }])
    }
    service.events(events)
    return answersOf(service.engine, ALL)
  })
}

function answersIn(folder: string): Promise<string> {
  return inFolder(folder, (service) => answersOf(service.engine, ALL))
}

/** Tokens of which a folder knows the whole history. */
function completeIn(folder: string): Promise<number> {
  return inFolder(folder, ({ engine }) => {
    engine.complete.look()
    return engine.complete.count
  })
}

/** What a service saw that began in the middle. */
const LATER = ALL.slice(ALL.length >> 1)
const START = { slot: slotOf(LATER[0]) - 1, timestamp: LATER[0]?.timestamp ?? 0 }

function slotOf(event: FeedEvent | undefined): number {
  if (event === undefined || !('slot' in event) || event.slot === null)
    throw new Error('it has a slot')
  return event.slot
}

test('a run in a folder that holds the token asks for what is behind its newest slot alone', async () => {
  const folder = newFolder()
  const half = await filled(folder, mint, { head: head >> 1 })
  const rest = await filled(folder, mint, {}, { LATE_SLOTS: '2' })
  const whole = await filled(newFolder(), mint)
  expect([half.isWhole, rest.isWhole, whole.isWhole]).toEqual([true, true, true])
  expect(rest.slot).toBe(whole.slot)
  const asked = ({ peer }: typeof half) => peer.asked.get('getTransaction') ?? 0
  expect(asked(rest)).toBeLessThan(asked(whole))
  expect(asked(half) + asked(rest)).toBeGreaterThanOrEqual(asked(whole))
})

test('a token of which a part was not to be had is not whole, whatever a later run finds', async () => {
  const folder = newFolder()
  const cut = await filled(folder, mint, { lists: { firstSlot: chain.blocks[head - 20].slot } })
  expect([cut.isWhole, cut.reports.length]).toEqual([false, 1])
  expect(cut.reports[0]).toContain('does not list the creation')
  expect(await filled(folder, mint)).toMatchObject({ isWhole: false, reports: [] })
})

test('a token is put among those that a folder holds, as if the service had seen it', async () => {
  const folder = newFolder()
  await lived(folder, LATER, START)
  const complete = await completeIn(folder)
  expect(await filled(folder, mint)).toMatchObject({ isWhole: true, reports: [] })
  const seen = ALL.filter((event) => LATER.includes(event) || isOf(event, mint))
  const expected = newFolder()
  const start = { ...START, slot: slotOf(seen[0]) - 1 }
  expect(await lived(expected, seen, start)).toBe(await answersIn(folder))
  expect(await completeIn(folder)).toBe(complete + 1)
  expect(await completeIn(expected)).toBe(complete + 1)
  expect(readdirSync(folder).filter((name) => name.startsWith('token-'))).toEqual([])
})

test('a token of which a part was not to be had is not put among others', async () => {
  const folder = newFolder()
  await lived(folder, LATER, START)
  const before = await answersIn(folder)
  const cut = await filled(folder, mint, { lists: { firstSlot: chain.blocks[head - 20].slot } })
  expect(cut.isWhole).toBe(false)
  expect(await answersIn(folder)).toBe(before)
})

test('a folder whose journal does not reach back to the token is left as it is', async () => {
  const folder = newFolder()
  const third = Math.ceil(LATER.length / 3)
  // A stop in order makes a snapshot; behind two of them the journal begins later.
  for (const n of [0, 1, 2])
    await lived(folder, LATER.slice(n * third, (n + 1) * third), n === 0 ? START : null)
  const before = await answersIn(folder)
  await expect(filled(folder, mint)).rejects.toThrow('does not go back to')
  expect(await answersIn(folder)).toBe(before)
})
