import Type from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * What the service sends, as its messages are decoded (`geyser.proto`): fields that were not sent
 * are absent, which stands for the zero of their type.
 */

const Slot = Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
/** An id and no amount: it is compared only. */
const BankId = Type.Optional(Type.Number())
const U32 = Type.Optional(Type.Integer({ minimum: 0, maximum: 0xffffffff }))
const Bytes = Type.Refine(Type.Unsafe<Uint8Array>({}), (value) => value instanceof Uint8Array)
/** Base58 of longer ones is refused with an exception, or takes seconds. */
const SIGNATURE_BYTES = 64
const Signature = Type.Refine(
  Type.Unsafe<Uint8Array>({}),
  (value) => value instanceof Uint8Array && value.length === SIGNATURE_BYTES,
)
const Instruction = Type.Object({ programIdIndex: U32, data: Type.Optional(Bytes) })
const Balance = Type.Object({
  mint: Type.Optional(Type.String()),
  owner: Type.Optional(Type.String()),
  uiTokenAmount: Type.Optional(
    Type.Object({ decimals: U32, amount: Type.Optional(Type.String()) }),
  ),
})
const Meta = Type.Object({
  err: Type.Optional(Type.Object({})),
  fee: Slot,
  innerInstructions: Type.Optional(
    Type.Array(Type.Object({ index: U32, instructions: Type.Optional(Type.Array(Instruction)) })),
  ),
  logMessages: Type.Optional(Type.Array(Type.String())),
  preTokenBalances: Type.Optional(Type.Array(Balance)),
  postTokenBalances: Type.Optional(Type.Array(Balance)),
  loadedWritableAddresses: Type.Optional(Type.Array(Bytes)),
  loadedReadonlyAddresses: Type.Optional(Type.Array(Bytes)),
})
const TransactionInfo = Type.Object({
  signature: Signature,
  index: U32,
  transaction: Type.Object({
    message: Type.Object({
      header: Type.Optional(Type.Object({ numRequiredSignatures: U32 })),
      accountKeys: Type.Array(Bytes),
    }),
  }),
  meta: Meta,
})
const Update = Type.Object({
  slot: Type.Optional(Type.Object({ slot: Slot, status: U32, bankId: BankId })),
  transaction: Type.Optional(
    Type.Object({ slot: Slot, transaction: TransactionInfo, bankId: BankId }),
  ),
  ping: Type.Optional(Type.Object({})),
  blockMeta: Type.Optional(Type.Object({ slot: Slot, parentSlot: Slot, bankId: BankId })),
})
const ReplayInfo = Type.Object({ firstAvailable: Slot })

export type GeyserUpdate = Type.Static<typeof Update>
export type GeyserTransaction = Type.Static<typeof TransactionInfo>

const update = Compile(Update)
const replayInfo = Compile(ReplayInfo)

/** null: the message is of another form. */
export function updateOf(value: unknown): GeyserUpdate | null {
  return update.Check(value) ? value : null
}

/** First slot that can be delivered again; null: none, or the answer is of another form. */
export function firstAvailableOf(value: unknown): number | null {
  if (!replayInfo.Check(value)) return null
  const { firstAvailable }: Type.Static<typeof ReplayInfo> = value
  return firstAvailable ?? null
}
