import { expect, onTestFinished, test } from 'vitest'
import { backfill } from '../../src/app/backfill.ts'
import { readConfig } from '../../src/config/config.ts'
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

test('a folder that holds anything else is refused', async () => {
  const folder = newFolder()
  await filled(folder, mint)
  const [other] = chain.accounts.keys()
  await expect(filled(folder, other)).rejects.toThrow('more than this token')
})
