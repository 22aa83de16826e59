import type { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { RESOLUTIONS, TRADER_ORDERS } from '../../src/protocol/queries.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { Random } from '../oracle/random.ts'
import { QUERIES } from '../oracle/samples.ts'
import { randomTables, wholeChart } from './random-queries.ts'

/** Every answer an engine gives about the mints and wallets of these events, by question. */
export function everyRead(engine: Engine, events: readonly FeedEvent[]): Map<string, string> {
  const answers = new EngineQueries(engine, () => {})
  const reads = new Map<string, string>()
  const mints = [...new Set(events.flatMap((event) => ('mint' in event ? [event.mint] : [])))]
  const wallets = [
    ...new Set(
      events.flatMap((event) => {
        if (event.type === 'swap') return [event.signer]
        return event.type === 'balance' ? [event.wallet] : []
      }),
    ),
  ]
  mints.sort()
  wallets.sort()
  const random = new Random(1)
  reads.set('market data', answers.marketData(mints))
  reads.set('tables', answers.tables({ type: 'all', filters: {}, limit: 200 }))
  for (let i = 0; i < 10; i += 1) {
    const query = randomTables(random)
    reads.set(`tables ${JSON.stringify(query)}`, answers.tables(query))
  }
  for (const query of QUERIES) reads.set(`search ${query}`, answers.search(query))
  for (const mint of mints) readMint(answers, mint, engine.state.now, reads)
  for (const wallet of wallets)
    for (const orderBy of TRADER_ORDERS) {
      const query = { page: 1, limit: 200, orderBy, direction: 'desc' } as const
      reads.set(`tokens of ${wallet} by ${orderBy}`, answers.walletTokens(wallet, query))
    }
  return reads
}

function readMint(
  answers: EngineQueries,
  mint: string,
  now: number,
  reads: Map<string, string>,
): void {
  for (const page of [1, 2])
    reads.set(`swaps of ${mint} ${page}`, answers.swaps(mint, null, { page, limit: 200 }))
  for (const orderBy of TRADER_ORDERS) {
    const query = { page: 1, limit: 200, orderBy, direction: 'asc' } as const
    reads.set(`traders of ${mint} by ${orderBy}`, answers.tokenTraders(mint, query))
  }
  for (const resolution of RESOLUTIONS)
    reads.set(`chart ${resolution} of ${mint}`, answers.chart(wholeChart(mint, now, resolution)))
}

/** The first question that two engines answer differently, with both answers; null when none. */
export function firstUnlike(
  actual: ReadonlyMap<string, string>,
  expected: ReadonlyMap<string, string>,
): string | null {
  if (actual.size !== expected.size) return `${actual.size} reads instead of ${expected.size}`
  for (const [question, answer] of expected) {
    const other = actual.get(question) ?? 'nothing'
    if (other === answer) continue
    let at = 0
    while (other[at] === answer[at]) at += 1
    const around = (text: string) => text.slice(Math.max(0, at - 60), at + 60)
    return `${question}: …${around(other)}… instead of …${around(answer)}…`
  }
  return null
}
