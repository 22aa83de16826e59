import { get, getSwaps, SWAPS_PER_PAGE } from './http.ts'
import { type Migration, readAs, searchAnswer } from './json.ts'

/** What a restarted program does not have as it was seen before. */
export interface Missing {
  /** Trades that are nowhere. */
  readonly lost: string[]
  /** Trades whose signature is there with other fields. */
  readonly changed: string[]
  readonly migrations: string[]
}

/** Mints asked for at once. */
const AT_ONCE = 8

/**
 * Looks for what was seen in what a program answers now. `keyOf` makes of a swap (JSON) what
 * `trades` holds: the text itself or its digest.
 */
export async function findAgain(
  url: string,
  trades: ReadonlyMap<string, ReadonlySet<string>>,
  migrations: ReadonlyMap<string, Migration>,
  keyOf: (text: string) => string = (text) => text,
): Promise<Missing> {
  const missing: Missing = { lost: [], changed: [], migrations: [] }
  await eachOf([...trades], async ([mint, keys]) => findTrades(url, mint, keys, keyOf, missing))
  await eachOf([...migrations.values()], async (migration) => {
    if (!(await hasMigration(url, migration))) missing.migrations.push(migration.mint)
  })
  return missing
}

async function findTrades(
  url: string,
  mint: string,
  keys: ReadonlySet<string>,
  keyOf: (text: string) => string,
  missing: Missing,
): Promise<void> {
  const left = new Set(keys)
  const signatures = new Set<string>()
  for (let page = 1; left.size > 0; page++) {
    const { items } = await getSwaps(url, mint, page)
    for (const item of items) {
      left.delete(keyOf(JSON.stringify(item)))
      signatures.add(item.signature)
    }
    if (items.length < SWAPS_PER_PAGE) break
  }
  for (const key of left) {
    const signature = /"signature":"([^"]*)"/.exec(key)?.[1] ?? ''
    const list = signatures.has(signature) ? missing.changed : missing.lost
    list.push(key)
  }
}

async function hasMigration(url: string, migration: Migration): Promise<boolean> {
  const { text } = await get(
    `${url}/api/v2/search/tokens/detailed?query=${encodeURIComponent(migration.mint)}`,
  )
  const row = readAs(searchAnswer, text).find(({ mint }) => mint === migration.mint)
  return (
    row?.migration_signature === migration.signature &&
    row.migration_timestamp === migration.timestamp &&
    row.bonding_curve === migration.bonding_curve &&
    row.pool_amm === migration.pool_amm
  )
}

async function eachOf<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < all.length) await work(all[next++])
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}
