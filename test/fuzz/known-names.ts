import type { Random } from '../../src/base/random.ts'

/** Tokens and wallets that a service knows: what is asked of others ends before it has begun. */
export interface KnownNames {
  readonly mints: readonly string[]
  readonly wallets: readonly string[]
}

/** What a service shows of its tokens and of who trades them. */
export async function knownNames(port: number): Promise<KnownNames> {
  const url = `http://127.0.0.1:${port}/api/v2`
  const headers = { 'Content-Type': 'application/json' }
  const tables = await fetch(`${url}/meme`, { method: 'POST', headers, body: '{"limit":20}' })
  const mints = await namesIn(tables, 'mint')
  const traders = mints
    .slice(0, 5)
    .map(async (mint) => namesIn(await fetch(`${url}/search/traders/tokens/${mint}`), 'wallet'))
  return { mints, wallets: (await Promise.all(traders)).flat() }
}

async function namesIn(answer: Response, key: 'mint' | 'wallet'): Promise<string[]> {
  const named = new RegExp(`"${key}":"([^"]+)"`, 'g')
  return [...(await answer.text()).matchAll(named)].map(([, name]) => name)
}

/** The text with its `mint3` and `wallet5` as names that the service knows, mostly. */
export function withKnown(text: string, random: Random, { mints, wallets }: KnownNames): string {
  const known = { mint: mints, wallet: wallets }
  return text.replaceAll(/\b(mint|wallet)\d\b/g, (word, kind: keyof typeof known) =>
    known[kind].length > 0 && random.chance(0.9) ? random.pick(known[kind]) : word,
  )
}
