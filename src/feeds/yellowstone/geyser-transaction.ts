import { decodeBase58, encodeBase58 } from '../../base/base58.ts'
import { AMM_PROGRAM, PUMP_PROGRAM } from '../chain/layouts/programs.ts'
import { type EmittedBytes, eventOfInstruction } from '../chain/transactions/program-logs.ts'
import { balancesOfMeta } from '../chain/transactions/rpc-json.ts'
import type { ChainTransaction } from '../chain/transactions/transaction.ts'
import { SUBSCRIBE } from './geyser-client.ts'
import { type GeyserTransaction, updateOf } from './geyser-update.ts'

const ADDRESS_BYTES = 32
/** What is not sent has the zero of its type. */
const DECIMALS_UNSENT = 0

const PROGRAMS = [PUMP_PROGRAM, AMM_PROGRAM].map((address) => ({
  address,
  bytes: decodeBase58(address) ?? new Uint8Array(),
}))

/** A transaction of an update, with everything the chain says of it. */
export function transactionOfGeyser(slot: number, update: GeyserTransaction): ChainTransaction {
  const { meta } = update
  const failed = meta.err !== undefined
  return {
    slot,
    txIndex: update.index ?? 0,
    signature: encodeBase58(update.signature),
    failed,
    blockTime: null,
    signers: failed ? [] : signersOf(update),
    selfCpi: failed ? null : selfCpiOf(update),
    logs: meta.logMessages ?? null,
    feeRaw: BigInt(meta.fee ?? 0),
    balances: failed
      ? []
      : balancesOfMeta({ preTokenBalances: [], postTokenBalances: [], ...meta }, DECIMALS_UNSENT),
  }
}

/** The fee payer alone where the header is missing. */
function signersOf({ transaction: { message } }: GeyserTransaction): readonly string[] {
  const count = message.header?.numRequiredSignatures ?? 1
  // Base58 of longer ones would take seconds.
  const keys = message.accountKeys.slice(0, count).filter((key) => key.length === ADDRESS_BYTES)
  return keys.map((key) => encodeBase58(key))
}

function selfCpiOf({ transaction, meta }: GeyserTransaction): readonly EmittedBytes[] {
  const programs = programsOf([
    ...transaction.message.accountKeys,
    ...(meta.loadedWritableAddresses ?? []),
    ...(meta.loadedReadonlyAddresses ?? []),
  ])
  const emitted: EmittedBytes[] = []
  const groups = [...(meta.innerInstructions ?? [])].sort((a, b) => (a.index ?? 0) - (b.index ?? 0))
  for (const group of groups)
    for (const { programIdIndex, data } of group.instructions ?? []) {
      const program = programs.get(programIdIndex ?? 0)
      if (program === undefined || data === undefined) continue
      const event = eventOfInstruction(program, data)
      if (event !== null) emitted.push(event)
    }
  return emitted
}

/** Index among the keys to address, of the programs that are read. */
function programsOf(keys: readonly Uint8Array[]): ReadonlyMap<number, string> {
  const programs = new Map<number, string>()
  for (const [index, key] of keys.entries())
    for (const { address, bytes } of PROGRAMS)
      if (Buffer.compare(key, bytes) === 0) programs.set(index, address)
  return programs
}

/** The transaction in the bytes of an update; null: another update; `unreadable`: none at all. */
export function transactionOfUpdate(bytes: Buffer): ChainTransaction | null | 'unreadable' {
  try {
    const update = updateOf(SUBSCRIBE.responseDeserialize(bytes))
    if (update === null) return 'unreadable'
    const { transaction } = update
    return transaction === undefined
      ? null
      : transactionOfGeyser(transaction.slot ?? 0, transaction.transaction)
  } catch {
    return 'unreadable'
  }
}
