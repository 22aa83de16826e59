import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../new-folder.ts'
import { startProgram, until } from './program.ts'

interface Trader {
  readonly wallet: string
  readonly label?: { readonly name: string; readonly tag: string }
}

test('labels of WALLET_LABELS stand where wallets are answered, and tables are filtered by their tags', async () => {
  const path = join(newFolder(), 'labels.ndjson')
  // A market that stands still: between two answers no holder may change places.
  const DATA_DIR = newFolder()
  const simulated = await startProgram({ DATA_DIR, SIM_TOKENS: '30', SIM_RATE: '1' })
  // It answers before its history is in.
  await until('tokens with holders', async () => {
    const answer = await fetch(`${simulated.url}/api/v2/meme`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' },
    })
    const { new: rows = [] } = Object(await answer.json())
    return rows.some(({ holders }: { holders: number }) => holders > 3) ? true : null
  })
  expect(await simulated.end('SIGTERM')).toBe(0)
  const program = await startProgram({
    ...{ DATA_DIR, FEED: 'none', RATE_LIMIT: 'off', WALLET_LABELS: path },
  })
  onTestFinished(() => void program.end('SIGKILL'))
  const json = async (where: string, init?: RequestInit) =>
    Object(await (await fetch(program.url + where, init)).json())
  const table = (heldBy: object) =>
    json('/api/v2/meme', {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ limit: 200, newPools: { heldBy }, completing: { heldBy } }),
    })
  // Nothing is known yet: no file, no label, nothing held.
  const { new: rows } = await json('/api/v2/meme', {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' },
  })
  const [{ mint }] = rows.filter(({ holders }: { holders: number }) => holders > 3)
  expect(await table({ tag: 'kol' })).toMatchObject({ new: [], completing: [] })
  const held: { items: Trader[] } = await json(`/api/v2/tokens/${mint}/holders?extra=1`)
  expect(held.items.every(({ label }) => label === undefined)).toBe(true)

  const wallets = held.items.slice(0, 3).map(({ wallet }) => wallet)
  const lines = wallets.map((address, i) =>
    JSON.stringify({ address, name: `Whale ${i}`, tag: 'kol' }),
  )
  await writeFile(path, lines.join('\n'))
  const first = wallets[0] ?? ''
  const label = { name: 'Whale 0', tag: 'kol' }
  await until('labels', async () => {
    const found = await json(`/api/v2/wallets/${first}`)
    return found.label === null ? null : found
  })
  expect(await json(`/api/v2/wallets/${first}`)).toMatchObject({ wallet: first, label })
  expect((await json(`/api/v2/tokens/${mint}/holders?extra=1`)).items[0]).toMatchObject({ label })
  expect((await json(`/api/v2/tokens/${mint}/holders`)).items[0].label).toBeUndefined()
  const swaps = await json(`/api/v2/search/tokens/${mint}/swaps?limit=200&extra=1`)
  for (const { signer, signer_label } of swaps.items)
    expect(signer_label?.tag, signer).toBe(wallets.includes(signer) ? 'kol' : undefined)
  const { items } = await json('/api/v2/wallets/top?window=all&by=trades&limit=200')
  const ranked = items.filter((item: Trader) => wallets.includes(item.wallet))
  for (const item of ranked) expect(item.label.tag).toBe('kol')

  const taken = await table({ tag: 'kol', min: 3 })
  const mints = [...taken.new, ...taken.completing].map((row: { mint: string }) => row.mint)
  expect(mints).toContain(mint)
  for (const one of mints) {
    const { items: holders } = await json(`/api/v2/tokens/${one}/holders?limit=200`)
    const names = holders.map(({ wallet }: Trader) => wallet)
    expect(
      wallets.every((wallet) => names.includes(wallet)),
      one,
    ).toBe(true)
  }
  expect(await json('/api/v2/wallets/tags')).toEqual({ items: [{ tag: 'kol', wallets: 3 }] })
  const refused = await table({ tag: 'kol', min: 0 })
  expect(refused.message).toBe(
    'newPools.heldBy.min came as 0, an integer from 1 to 100000 is allowed.',
  )
})
