import { pathsOf } from './crowd.ts'

/** Tokens whose answers are compared. */
const TOKENS = 100

/** Answers of tokens at one moment that stands still (CLOCK=event and no feed). */
export type Testimony = ReadonlyMap<string, string>

/** Mints of the tables, as they are asked for later again. */
export async function witnessedMints(url: string): Promise<readonly string[]> {
  const headers = { 'Content-Type': 'application/json' }
  const init = { method: 'POST', headers, body: '{"limit":200}' }
  const tables: unknown = await (await fetch(`${url}/api/v2/meme`, init)).json()
  const rows: { mint: string }[] = Object.values(tables ?? {}).flat()
  return rows
    .map(({ mint }) => mint)
    .filter((_, index) => index % Math.ceil(rows.length / TOKENS) === 0)
}

/** What the service says of these tokens. */
export async function testimony(url: string, mints: readonly string[]): Promise<Testimony> {
  const found = new Map<string, string>()
  for (const mint of mints)
    for (const path of pathsOf(mint)) found.set(path, await (await fetch(url + path)).text())
  return found
}

/** Paths whose answers are not the same. */
export function differences(before: Testimony, after: Testimony): string[] {
  return [...before].filter(([path, text]) => after.get(path) !== text).map(([path]) => path)
}
