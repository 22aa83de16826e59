import { readFileSync } from 'node:fs'
import { USDC_MINT } from '../../src/events/platform.ts'
import { isSolMint } from '../../src/feeds/chain/layouts/programs.ts'
import { dataFile } from '../feeds/data-folder.ts'

/** What the manifest of the recorded transactions says of one file. */
export interface ManifestEntry {
  readonly file: string
  readonly signature: string
  /** Names of its events, comma-separated. */
  readonly shows: string
  readonly notes: readonly string[]
  readonly expected: readonly Expected[]
}

/** A swap, `create`, `migrate`, or an event as it was decoded (`_name`). */
export type Expected = Readonly<Record<string, unknown>>

const FOLDER = 'chain-2026-10'
/** In a note: who stands in the event, who moved the tokens, who paid. */
const MOVED = /^event user (\w+) moved 0 of \d+; mover \['(\w+)'\]; payer (\w+)$/

export function manifest(): readonly ManifestEntry[] {
  return JSON.parse(readFileSync(recordedFile('manifest.json'), 'utf8'))
}

export function recordedFile(file: string): string {
  return dataFile(FOLDER, file)
}

/**
 * How the signer of the swaps begins, where the manifest notes that `user` moved nothing: its `signer` is
 * still that of the event. Contract section 2: `user` if he signed (here: paid), else who moved the amount.
 */
export function signerNoted({ notes }: ManifestEntry): string | null {
  for (const note of notes) {
    const [, user, mover, payer] = MOVED.exec(note) ?? []
    if (user !== undefined) return user === payer ? user : mover
  }
  return null
}

/** Raw units of a whole amount of the quote, which the manifest rounds as doubles do. */
export function quoteRawOf(amount: unknown, quoteMint: unknown): bigint {
  const mint = typeof quoteMint === 'string' ? quoteMint : ''
  const decimals = mint === '' || isSolMint(mint) ? 9 : 6
  if (decimals === 6 && mint !== USDC_MINT) throw new Error(`${mint} has decimals of its own`)
  return BigInt(Math.round(Number(amount) * 10 ** decimals))
}

export function baseRawOf(amount: unknown): bigint {
  return BigInt(Math.round(Number(amount) * 1e6))
}
