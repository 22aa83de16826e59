/** What the answers are read as; the server's own tests check every field. */
import Type from 'typebox'
import { Compile } from 'typebox/compile'

const Swap = Type.Object({ mint: Type.String(), signature: Type.String() })
const Migration = Type.Object({
  signature: Type.String(),
  timestamp: Type.String(),
  bonding_curve: Type.String(),
  mint: Type.String(),
  pool_amm: Type.String(),
})

export type Swap = Type.Static<typeof Swap>
export type Migration = Type.Static<typeof Migration>

export const swapPage = Compile(Type.Object({ total: Type.Integer(), items: Type.Array(Swap) }))
export const swapMessage = Compile(
  Type.Object({ channel: Type.Literal('update_mint_info'), data: Swap }),
)
export const migrationMessage = Compile(
  Type.Object({ channel: Type.Literal('mint_migration'), data: Migration }),
)
export const tableAnswer = Compile(
  Type.Record(Type.String(), Type.Array(Type.Object({ mint: Type.String() }))),
)
export const searchAnswer = Compile(
  Type.Array(
    Type.Object({
      mint: Type.String(),
      bonding_curve: Type.String(),
      pool_amm: Type.String(),
      migration_signature: Type.Union([Type.String(), Type.Null()]),
      migration_timestamp: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
)
export const figuresAnswer = Compile(
  Type.Object({
    status: Type.String(),
    reason: Type.Union([Type.String(), Type.Null()]),
    tokens: Type.Integer(),
    swaps: Type.Integer(),
    newest_slot: Type.Number(),
    now_seconds: Type.Integer(),
    feed_events_total: Type.Integer(),
    snapshot_failures_total: Type.Optional(Type.Integer()),
    snapshot_seq: Type.Optional(Type.Integer()),
    snapshot_age_seconds: Type.Optional(Type.Integer()),
    journal_seq: Type.Optional(Type.Integer()),
    journal_synced_seq: Type.Optional(Type.Integer()),
    journal_sync_longest_ms: Type.Optional(Type.Number()),
    journal_failed: Type.Optional(Type.Integer()),
    tape_cache_misses_total: Type.Optional(Type.Integer()),
    dormant_cache_misses_total: Type.Optional(Type.Integer()),
    tape_bytes: Type.Integer(),
    positions: Type.Integer(),
    positions_in_memory: Type.Integer(),
    dormant_positions: Type.Integer(),
    dormant_wakings_total: Type.Integer(),
    dormant_bytes: Type.Integer(),
  }),
)

interface Validator<T> {
  Check(value: unknown): value is T
}

/** @throws Error when the text is not what was asked for */
export function readAs<T>(validator: Validator<T>, text: string): T {
  const value: unknown = JSON.parse(text)
  if (validator.Check(value)) return value
  throw new Error(`not the answer that was expected: ${text.slice(0, 300)}`)
}
