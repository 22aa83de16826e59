import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../new-folder.ts'
import { type Program, runProgram, type Settings, startProgram, until } from './program.ts'

const ONE_SENTENCE = /^mintfeed: [^\n]+\.\n$/
const MINT = `${'T'.repeat(40)}moon`
const CREATOR = 'C'.repeat(43)
const BUYERS = ['A', 'B', 'D', 'E'].map((letter) => letter.repeat(43))
const CREATED_SLOT = 1_000
/** 20 percent of this are sold at the end. */
const REAL_BASE = 1_000_000_000

/** Other thresholds than those of contract section 2, one for each definition. */
const OTHERS: Settings = {
  COMPLETING_PERCENT: '20',
  SNIPER_SLOTS: '0',
  BUNDLE_SLOTS: '3',
  BUNDLE_SOL: '0.001',
  FRESH_TRADES: '0',
  PRO_TRADES: '0',
  PRO_MINTS: '0',
  SOLD_ALL_TOKENS: '5.5',
  MINT_SUFFIX: 'moon',
}

test('every threshold is a setting, and a restart judges on as the journal says', async () => {
  const DATA_DIR = newFolder()
  const program = await startProgram({ ...OTHERS, FEED: replayOf(newFolder()), ...QUICK, DATA_DIR })
  const told = await judgements(program)
  expect(told).toMatchObject({
    group: 'completing',
    snipers_holding: 0,
    fresh_wallets_holding: 0,
    suffixed: 1,
    soldAll: 1,
  })
  expect(told.bundle_holding).toBeGreaterThan(0)
  expect(told.pro_traders_holding).toBeGreaterThan(0)
  await program.end('SIGTERM')
  const again = await startProgram({ ...OTHERS, FEED: 'none', CLOCK: 'event', DATA_DIR })
  expect(await judgements(again)).toEqual(told)
  await again.end('SIGKILL')
  const plain = await startProgram({ FEED: 'none', CLOCK: 'event', DATA_DIR })
  // What is judged at a read goes by the settings of now; what was judged at a trade stays.
  expect(await judgements(plain)).toEqual({ ...told, group: 'new', suffixed: 0, soldAll: 0 })
  await plain.end('SIGKILL')
})

test('without these settings the thresholds are those of the contract', async () => {
  const program = await startProgram({ FEED: replayOf(newFolder()), ...QUICK })
  const told = await judgements(program)
  expect(told).toMatchObject({
    ...{ group: 'new', bundle_holding: 0, pro_traders_holding: 0, suffixed: 0, soldAll: 0 },
  })
  expect(told.snipers_holding).toBeGreaterThan(0)
  expect(told.fresh_wallets_holding).toBeGreaterThan(0)
  await program.end('SIGTERM')
})

test.each([
  ['COMPLETING_PERCENT', '40.5'],
  ['SNIPER_SLOTS', '-1'],
  ['SNIPER_SECONDS', 'two'],
  ['BUNDLE_SLOTS', '1e1'],
  ['BUNDLE_SOL', '0.0000000001'],
  ['FRESH_SECONDS', '24h'],
  ['FRESH_TRADES', '1.5'],
  ['PRO_TRADES', ''.padEnd(30, '9')],
  ['PRO_MINTS', ' '],
  ['SOLD_ALL_TOKENS', '-0'],
  ['MINT_SUFFIX', 'l0l'],
])('%s=%s stops the start with one sentence that names it and exit code 2', async (name, value) => {
  const { code, errors } = await runProgram({ [name]: value, FEED: 'none' })
  expect(code).toBe(2)
  expect(errors).toMatch(ONE_SENTENCE)
  expect(errors).toContain(name)
})

const QUICK: Settings = { SPEED: 'max', RATE_LIMIT: 'off' }

/** What the table tells of the one token: its group, its shares, and whether two filters find it. */
async function judgements({ url }: Program): Promise<Readonly<Record<string, unknown>>> {
  await until('all is read', async () => ((await fetch(`${url}/readyz`)).ok ? true : null))
  const groups = await tables(url, {})
  const found = Object.entries(groups).filter(([, rows]) => rows.length > 0)
  expect(found).toHaveLength(1)
  const [[group, [row]]] = found
  const countOf = async (filters: object) => {
    const only = { newPools: filters, completing: filters }
    return Object.values(await tables(url, only)).flat().length
  }
  return {
    group,
    snipers_holding: row.snipers_holding,
    bundle_holding: row.bundle_holding,
    fresh_wallets_holding: row.fresh_wallets_holding,
    pro_traders_holding: row.pro_traders_holding,
    suffixed: await countOf({ caEndsWithSuffix: true }),
    soldAll: await countOf({ devSoldAll: true }),
  }
}

type Tables = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

async function tables(url: string, body: object): Promise<Tables> {
  const headers = { 'Content-Type': 'application/json' }
  const options = { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(`${url}/api/v2/meme`, options)
  expect(response.status).toBe(200)
  return (await response.json()) as Tables
}

function replayOf(folder: string): string {
  const file = join(folder, 'events.jsonl')
  const price = { type: 'sol_price', timestamp: 1_790_000_000, usd: 100 }
  const lines = [
    price,
    creation(),
    ...BUYERS.map((buyer, i) => swap(buyer, i)),
    ...creatorsTrades(),
  ]
  fs.writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return `replay:${file}`
}

function creation(): object {
  return {
    ...{ type: 'token_created', slot: CREATED_SLOT, tx_index: 0, ordinal: 0, signature: 'S0' },
    ...{ timestamp: 1_790_000_000, mint: MINT, name: 'N', symbol: 'S', uri: '', creator: CREATOR },
    ...{ bonding_curve: 'K'.repeat(43), token_program: 'P', is_mayhem_mode: false },
    ...{ virtual_base_raw: '2000000000', virtual_quote_raw: '30000000000' },
    real_base_raw: String(REAL_BASE),
  }
}

/** Buys two slots after the creation, too late for a bundle and in time for a sniper. */
function swap(signer: string, index: number, more: object = {}): object {
  return {
    ...{ type: 'swap', slot: CREATED_SLOT + 2, tx_index: index + 1, ordinal: 0 },
    ...{ signature: `S${index + 1}`, timestamp: 1_790_000_001, source: 'pump', mint: MINT },
    ...{ pool: 'K'.repeat(43), signer, direction: 'buy', base_raw: '50000000' },
    ...{ quote_raw: '2000000', virtual_base_raw: '1800000000', virtual_quote_raw: '31000000000' },
    ...{ real_base_raw: String(REAL_BASE * 0.8), real_quote_raw: '1000000000' },
    ...{ platform_fee_raw: '0', creator_fee_raw: '0', ...more },
  }
}

/** The creator keeps five tokens and made money with the others. */
function creatorsTrades(): readonly object[] {
  const sold = { direction: 'sell', base_raw: '45000000' }
  return [swap(CREATOR, BUYERS.length), swap(CREATOR, BUYERS.length + 1, sold)]
}
