import type { AlertRule, FoundAlert } from '../../src/protocol/alerts.ts'
import { GROUPS } from '../../src/protocol/filters.ts'
import { WIDE_SECONDS } from '../../src/query/alerts/token-rules.ts'
import type { Oracle } from '../oracle/oracle.ts'

/** Rows of the oracle's tables at most; histories have fewer tokens. */
const ROWS = 200

/** Says which mints a rule has by asking the oracle for all of them anew, and holds what was found against it. */
export class NaiveTokens {
  readonly rule: AlertRule
  readonly #has = new Set<string>()
  /** Second since which a mint is not what the oracle says, as far as rounds were made. */
  readonly #wrongSince = new Map<string, number>()

  constructor(rule: AlertRule) {
    this.rule = rule
  }

  /** What the rule has now, of the mints that are known. */
  wanted(oracle: Oracle, mints: readonly string[]): ReadonlySet<string> {
    const { when } = this.rule
    if (when.kind === 'filter') {
      const tables = oracle.tables({ ...when.filter, limit: ROWS })
      return new Set(
        GROUPS.flatMap((group) => rowsOf(tables, group).map((row) => String(row.mint))),
      )
    }
    if (when.kind !== 'price' && when.kind !== 'market_cap') return new Set()
    const asked = when.mint === null ? mints : [when.mint]
    const key = when.kind === 'price' ? 'token_price_usd' : 'market_cap'
    const rows: readonly object[] = oracle.marketData(asked)
    return new Set(
      rows.flatMap((row) => {
        const { mint, [key]: value } = row as Readonly<Record<string, unknown>>
        return Number(value) >= when.value ? [String(mint)] : []
      }),
    )
  }

  /** Begins with what is there. */
  begin(oracle: Oracle, mints: readonly string[]): void {
    for (const mint of this.wanted(oracle, mints)) this.#has.add(mint)
  }

  /** Mints that are not what the oracle says. */
  differing(oracle: Oracle, mints: readonly string[]): string[] {
    const wanted = this.wanted(oracle, mints)
    return mints.filter((mint) => wanted.has(mint) !== this.#has.has(mint))
  }

  /** Takes what was found at a round; the faults, as sentences. */
  round(
    found: readonly FoundAlert[],
    oracle: Oracle,
    mints: readonly string[],
    named: ReadonlySet<string>,
    second: number,
    firstSeen: ReadonlySet<string>,
  ): string[] {
    const wanted = this.wanted(oracle, mints)
    const faults: string[] = []
    for (const { event, data } of found) {
      const mint = mintOf(data)
      const isUp = event === 'filter_entered' || (event.endsWith('crossed') && wayOf(data) === 'up')
      if (this.#has.has(mint) === isUp) faults.push(`${mint} is told twice to be ${isUp}`)
      if (wanted.has(mint) !== isUp) faults.push(`${mint} is told to be ${isUp} and is not`)
      if (isUp) this.#has.add(mint)
      else this.#has.delete(mint)
    }
    for (const mint of mints) {
      if (this.#has.has(mint) === wanted.has(mint)) {
        this.#wrongSince.delete(mint)
        continue
      }
      // Nobody knows where a token stood before that is known by its trades alone.
      if (this.rule.when.kind !== 'filter' && wanted.has(mint) && firstSeen.has(mint)) {
        this.#has.add(mint)
        continue
      }
      if (named.has(mint))
        faults.push(`${mint} was named and is not told to be ${wanted.has(mint)}`)
      const since = this.#wrongSince.get(mint) ?? second
      this.#wrongSince.set(mint, since)
      if (second - since >= WIDE_SECONDS) faults.push(`${mint} is not told for ${second - since} s`)
    }
    return faults
  }
}

function rowsOf(tables: object, group: string): readonly Readonly<Record<string, unknown>>[] {
  const { [group]: rows } = tables as Readonly<Record<string, unknown>>
  return Array.isArray(rows) ? rows : []
}

export function mintOf(data: string): string {
  return JSON.parse(data).mint
}

function wayOf(data: string): string {
  return JSON.parse(data).direction
}
