/** Schemas of values that the journal, snapshots and the messages of the compactor have as JSON. */
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { jsonOf } from '../../base/json-access.ts'
import type { EngineSettings, Thresholds } from '../../base/thresholds.ts'

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const RULES = {
  completingPercent: Count,
  sniperSlots: Count,
  sniperSeconds: Count,
  bundleSlots: Count,
  bundleLamports: Count,
  freshSeconds: Count,
  freshTrades: Count,
  proTrades: Count,
  proMints: Count,
  soldAllWhole: Type.Number({ minimum: 0 }),
  mintSuffix: Type.String(),
} satisfies { readonly [Name in keyof Thresholds]: Type.TSchema }

/**
 * Settings of an engine as journal and snapshots keep them, as JSON. A rule that is not known here, as one of
 * a later program, would be folded without it: `Partial` forgets what its object says of that.
 */
export const SettingsSchema = Type.Object({
  clock: Type.Union([Type.Literal('wall'), Type.Literal('event')]),
  lateSlots: Count,
  rules: Type.Optional(Type.Partial(Type.Object(RULES), { additionalProperties: false })),
  takesAhead: Type.Optional(Type.Boolean()),
})
const validator = Compile(SettingsSchema)

/** Settings from their JSON; null: it is none. */
export function recordedSettings(text: string): EngineSettings | null {
  const value = jsonOf(text)
  return validator.Check(value) ? value : null
}

/**
 * Crc of the header of each chunk that a state leaves records to, from the first (tape-chunk.ts): so that
 * no other file is taken for one.
 */
export const ChunkCrcs = Type.Object({
  swaps: Type.Array(Type.Integer({ minimum: 0 })),
  positions: Type.Array(Type.Integer({ minimum: 0 })),
})
