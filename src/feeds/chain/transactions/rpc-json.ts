import { decodeBase58, encodeBase58, isAddress } from '../../../base/base58.ts'
import {
  integerAt,
  isRecord,
  type JsonRecord,
  listAt,
  recordAt,
  textAt,
} from '../../../base/json-access.ts'
import { asU64 } from '../../../base/u64.ts'
import { programName } from '../layouts/programs.ts'
import { type EmittedBytes, eventOfInstruction } from './program-logs.ts'
import { type ChainTransaction, isSignature, type TokenBalanceChange } from './transaction.ts'

const U32_MAX = 0xffffffff

/**
 * A `logsNotification` of Solana's JSON RPC; null when its shape is another. Logs carry neither
 * fee nor balances nor the index in the block.
 */
export function transactionOfLogsFrame(frame: unknown): ChainTransaction | null {
  const result = recordAt(recordAt(frame, 'params'), 'result')
  const value = recordAt(result, 'value')
  const signature = textAt(value, 'signature')
  const logs = textsAt(value, 'logs')
  const slot = integerAt(recordAt(result, 'context'), 'slot')
  if (value === null || signature === null || logs === null || slot === null) return null
  const failed = hasFailed(value)
  if (!failed && !isSignature(signature)) return null
  return {
    slot,
    txIndex: null,
    signature,
    failed,
    blockTime: null,
    signers: [],
    selfCpi: null,
    logs,
    feeRaw: null,
    balances: [],
  }
}

/**
 * What `getTransaction` answers (encodings json, jsonParsed, base64, base58) or one entry of a
 * block; null when the shape is another. A block entry has neither slot nor index.
 */
export function transactionOfRpc(entry: JsonRecord): ChainTransaction | null {
  const meta = recordAt(entry, 'meta')
  const body = bodyOf(entry)
  if (meta === null || body === null || !isSignature(body.signature)) return null
  const keys = [...body.accountKeys, ...loadedKeys(meta)]
  const fee = integerAt(meta, 'fee')
  return {
    slot: integerAt(entry, 'slot'),
    txIndex: integerAt(entry, 'transactionIndex', U32_MAX),
    signature: body.signature,
    failed: hasFailed(meta),
    blockTime: integerAt(entry, 'blockTime', U32_MAX),
    signers: body.accountKeys.slice(0, body.signersCount).filter(isAddress),
    selfCpi: selfCpiOf(meta, keys),
    logs: textsAt(meta, 'logMessages'),
    feeRaw: fee === null ? null : BigInt(fee),
    balances: balancesOfMeta(meta),
  }
}

/** Of a `meta`, or of what a frame says; servers between leave out what is null. */
export function hasFailed(value: JsonRecord): boolean {
  return value.err !== null && value.err !== undefined
}

function bodyOf(entry: JsonRecord): WireTransaction | null {
  const encoded = listAt(entry, 'transaction')
  if (encoded !== null) {
    const [data, encoding] = encoded
    if (typeof data !== 'string') return null
    const bytes = encoding === 'base58' ? decodeBase58(data) : Buffer.from(data, 'base64')
    return bytes === null ? null : readWireTransaction(bytes)
  }
  const transaction = recordAt(entry, 'transaction')
  const signatures = listAt(transaction, 'signatures')
  const signature = signatures?.[0]
  const message = recordAt(transaction, 'message')
  const keys = listAt(message, 'accountKeys')
  if (typeof signature !== 'string' || keys === null) return null
  // Parsed messages have no header; a key signs for each signature.
  const signersCount =
    integerAt(recordAt(message, 'header'), 'numRequiredSignatures') ?? signatures?.length ?? 0
  return { signature, accountKeys: keys.map(keyText), signersCount }
}

/** Parsed messages write keys as objects and have those of lookup tables among them. */
function keyText(key: unknown): string {
  return typeof key === 'string' ? key : (textAt(key, 'pubkey') ?? '')
}

function loadedKeys(meta: JsonRecord): readonly string[] {
  const loaded = recordAt(meta, 'loadedAddresses')
  return [...(textsAt(loaded, 'writable') ?? []), ...(textsAt(loaded, 'readonly') ?? [])]
}

function selfCpiOf(meta: JsonRecord, keys: readonly string[]): readonly EmittedBytes[] | null {
  const groups = listAt(meta, 'innerInstructions')
  if (groups === null) return null
  const ordered = groups
    .filter(isRecord)
    .sort((a, b) => (integerAt(a, 'index') ?? 0) - (integerAt(b, 'index') ?? 0))
  const emitted: EmittedBytes[] = []
  for (const group of ordered) {
    for (const instruction of listAt(group, 'instructions') ?? []) {
      const event = eventOfRpcInstruction(instruction, keys)
      if (event !== null) emitted.push(event)
    }
  }
  return emitted
}

function eventOfRpcInstruction(instruction: unknown, keys: readonly string[]): EmittedBytes | null {
  const index = integerAt(instruction, 'programIdIndex')
  const program = textAt(instruction, 'programId') ?? (index === null ? null : keys[index])
  const text = textAt(instruction, 'data')
  if (program === null || program === undefined || text === null) return null
  // Most instructions are of other programs: those are not worth the base58.
  if (programName(program) === null) return null
  const data = decodeBase58(text)
  return data === null ? null : eventOfInstruction(program, data)
}

const U64_TEXT = /^\d{1,20}$/

interface MutableChange {
  owner: string
  mint: string
  beforeRaw: bigint
  afterRaw: bigint
  decimals?: number
}

/**
 * Token balances before and after, summed over the accounts of an owner. An account that is in
 * one list only did not exist (or hold the token) on the other side: 0 there. Entries without an
 * owner (old nodes) are left out.
 * @param unsent decimals of an entry that does not tell them; null: unknown
 */
export function balancesOfMeta(
  meta: unknown,
  unsent: number | null = null,
): readonly TokenBalanceChange[] {
  const changes = new Map<string, MutableChange>()
  const before = listAt(meta, 'preTokenBalances')
  const after = listAt(meta, 'postTokenBalances')
  if (before === null || after === null) return []
  for (const entry of before) {
    const found = changeOf(changes, entry, unsent)
    if (found !== null) found.change.beforeRaw += found.amount
  }
  for (const entry of after) {
    const found = changeOf(changes, entry, unsent)
    if (found !== null) found.change.afterRaw += found.amount
  }
  // Several accounts of hostile amounts must not pass what a u64 holds.
  for (const change of changes.values()) {
    change.beforeRaw = asU64(change.beforeRaw)
    change.afterRaw = asU64(change.afterRaw)
  }
  return [...changes.values()]
}

function changeOf(
  changes: Map<string, MutableChange>,
  entry: unknown,
  unsent: number | null,
): { change: MutableChange; amount: bigint } | null {
  if (!isRecord(entry)) return null
  const owner = textAt(entry, 'owner')
  const mint = textAt(entry, 'mint')
  const tokens = recordAt(entry, 'uiTokenAmount')
  const amount = textAt(tokens, 'amount')
  if (owner === null || mint === null || amount === null || !U64_TEXT.test(amount)) return null
  const key = `${owner} ${mint}`
  let change = changes.get(key)
  if (change === undefined) {
    const decimals = integerAt(tokens, 'decimals') ?? unsent
    change = { owner, mint, beforeRaw: 0n, afterRaw: 0n, ...(decimals !== null && { decimals }) }
    changes.set(key, change)
  }
  return { change, amount: BigInt(amount) }
}

/** What is read of a serialised transaction. */
interface WireTransaction {
  readonly signature: string
  /** The keys written in the message; those of lookup tables are in the transaction's meta. */
  readonly accountKeys: readonly string[]
  /** So many of the keys, from the first on, signed it. */
  readonly signersCount: number
}

const SIGNATURE_BYTES = 64
const ADDRESS_BYTES = 32
const HEADER_BYTES = 3
/** Highest bit of the byte after the signatures: a versioned message, the rest is its number. */
const VERSION_BIT = 0x80

/**
 * First signature and account keys of a serialised transaction (legacy, version 0 or 1); null when
 * the bytes are cut or of a later version.
 */
export function readWireTransaction(bytes: Uint8Array): WireTransaction | null {
  // A count of signatures never has this bit: no transaction has so many.
  if (bytes[0] === V1_BYTE) return readWireTransactionV1(bytes)
  const signatures = readCount(bytes, 0)
  if (signatures === null || signatures.count === 0) return null
  const message = signatures.end + signatures.count * SIGNATURE_BYTES
  if (bytes.length < message + 1 + HEADER_BYTES) return null
  const version = bytes[message] ?? 0
  const isVersioned = (version & VERSION_BIT) !== 0
  if (isVersioned && version !== VERSION_BIT) return null
  const header = message + (isVersioned ? 1 : 0)
  const keys = readCount(bytes, header + HEADER_BYTES)
  const signersCount = bytes[header]
  if (
    keys === null ||
    signersCount === undefined ||
    bytes.length < keys.end + keys.count * ADDRESS_BYTES
  )
    return null
  return {
    signature: encodeBase58(bytes.subarray(signatures.end, signatures.end + SIGNATURE_BYTES)),
    accountKeys: Array.from({ length: keys.count }, (_, index) => {
      const start = keys.end + index * ADDRESS_BYTES
      return encodeBase58(bytes.subarray(start, start + ADDRESS_BYTES))
    }),
    signersCount,
  }
}

/** Solana's compact u16: seven bits a byte, low ones first. */
function readCount(bytes: Uint8Array, start: number): { count: number; end: number } | null {
  let count = 0
  for (let n = 0; n < 3; n++) {
    const byte = bytes[start + n]
    if (byte === undefined) return null
    count |= (byte & 0x7f) << (7 * n)
    if ((byte & 0x80) === 0) return { count, end: start + n + 1 }
  }
  return null
}

/** First byte of a transaction of version 1; those before begin with a count of signatures. */
const V1_BYTE = 0x81

/** Version, three counts of the header, mask of the settings, blockhash, counts of instructions and addresses. */
const SIGNERS_AT = 1
const MASK_AT = 4
const INSTRUCTIONS_AT = 40
const ADDRESSES_AT = 42
const SETTING_BYTES = 4
/** Index of the program, number of accounts (u8), bytes of data (u16). */
const INSTRUCTION_HEADER_BYTES = 4

/**
 * A serialised transaction of version 1 (SIMD-0385): message first, signatures behind it without a
 * count, all addresses in the message; behind these a value of four bytes for each bit of the mask, the
 * headers of the instructions, and their accounts and data. null when the bytes are cut.
 */
function readWireTransactionV1(bytes: Uint8Array): WireTransaction | null {
  if (bytes.length < ADDRESSES_AT || bytes[0] !== V1_BYTE) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const signersCount = view.getUint8(SIGNERS_AT)
  const instructionsCount = view.getUint8(INSTRUCTIONS_AT)
  const addressesCount = view.getUint8(INSTRUCTIONS_AT + 1)
  if (signersCount === 0 || signersCount > addressesCount) return null
  const addressesEnd = ADDRESSES_AT + addressesCount * ADDRESS_BYTES
  const headers = addressesEnd + bitsOf(view.getUint32(MASK_AT, true)) * SETTING_BYTES
  let signatures = headers + instructionsCount * INSTRUCTION_HEADER_BYTES
  if (bytes.length < signatures) return null
  for (let n = 0; n < instructionsCount; n++) {
    const header = headers + n * INSTRUCTION_HEADER_BYTES
    signatures += view.getUint8(header + 1) + view.getUint16(header + 2, true)
  }
  if (bytes.length < signatures + signersCount * SIGNATURE_BYTES) return null
  return {
    signature: encodeBase58(bytes.subarray(signatures, signatures + SIGNATURE_BYTES)),
    accountKeys: Array.from({ length: addressesCount }, (_, index) => {
      const start = ADDRESSES_AT + index * ADDRESS_BYTES
      return encodeBase58(bytes.subarray(start, start + ADDRESS_BYTES))
    }),
    signersCount,
  }
}

function bitsOf(mask: number): number {
  let bits = 0
  for (let rest = mask; rest !== 0; rest >>>= 1) bits += rest & 1
  return bits
}

/** The texts of a list; null when there is no list or something else is in it. */
function textsAt(value: unknown, key: string): readonly string[] | null {
  const list = listAt(value, key)
  if (list === null) return null
  const texts = list.filter((item) => typeof item === 'string')
  return texts.length === list.length ? texts : null
}
