import type { TablesQuery } from '../src/protocol/queries.ts'
import { parseTables } from '../src/protocol/requests/tables.ts'

/** Filters as a bot polls them: all three groups, some ranges; and one group alone. */
export const popularBody = JSON.stringify({
  type: 'all',
  newPools: { ageMinutes: { max: 100_000 }, mCapUsd: { min: 1_000 } },
  completing: { holders: { min: 2 } },
  graduated: { volumeUsd: { min: 1 } },
})

export const popularGroupBody = JSON.stringify({
  type: 'completing',
  completing: { holders: { min: 2 }, mCapUsd: { min: 1_000 }, volumeUsd: { min: 1 } },
})

/** Bodies of POST /api/v2/meme by what they are like. */
export const TABLE_BODIES: Readonly<Record<string, string>> = {
  'no filter': JSON.stringify({ type: 'new' }),
  'popular filter, all groups': popularBody,
  'filter that few pass': JSON.stringify({ type: 'new', newPools: { holders: { min: 40 } } }),
  'filter that none passes': JSON.stringify({ type: 'all', ...noneOf({ mCapUsd: { min: 1e15 } }) }),
  'top holders, none passes': JSON.stringify({
    type: 'all',
    ...noneOf({ top10HoldingPct: { min: 100.5 } }),
  }),
}

function noneOf(filters: object): object {
  return { newPools: filters, completing: filters, graduated: filters }
}

/** @throws Error where a body is none */
export function queryOf(body: string): TablesQuery {
  const parsed = parseTables(body)
  if (!parsed.ok) throw new Error(`not a body: ${body}`)
  return parsed.value
}
