import {
  integerAt,
  isRecord,
  type JsonRecord,
  listAt,
  recordAt,
  textAt,
} from '../../base/json-access.ts'
import { AMM_PROGRAM, COMMITMENT, PUMP_PROGRAM } from '../chain/layouts/programs.ts'
import { hasFailed, transactionOfRpc } from '../chain/transactions/rpc-json.ts'
import { type ChainTransaction, isSignature } from '../chain/transactions/transaction.ts'
import { type RpcClient, RpcError } from './rpc-client.ts'

/** Highest version of transactions asked for; nodes that do not know it are asked for the next. */
const TRANSACTION_VERSION = 1
/** Milliseconds a slot by which one of a time is guessed, more than the chain takes: a guess does not go too far. */
const GUESSED_SLOT_MS = 400
/** Guesses at the slot of a time; each is nearer than the one before. */
const TIME_GUESSES_MAX = 20
/** A slot so long before a time counts as of it. */
const TIME_NEAR_SECONDS = 2
/** Slots in a row without a block. */
const SKIPPED_SLOTS_MAX = 16
const CONFIRMED = { commitment: COMMITMENT }
/** Error codes of Solana's JSON-RPC. */
const BLOCK_CLEANED_UP = -32_001
const SLOT_SKIPPED = -32_007
const LONG_TERM_SLOT_SKIPPED = -32_009
const UNSUPPORTED_VERSION = -32_015
const INVALID_PARAMS = -32_602
const NO_HISTORY = -32_011
const METHOD_NOT_FOUND = -32_601
/** Accounts in one question, the server's own limit. */
export const ACCOUNTS_MAX = 100
/** Signatures in one answer, the server's own limit. */
const SIGNATURES_PAGE = 1_000
const U32_MAX = 0xffffffff
/** Accounts that a server names as the largest ones. */
export const LARGEST_MAX = 20

export interface OwnedAccount {
  /** The program that owns it. */
  readonly program: string
  readonly data: Buffer
}

export interface RpcBlock {
  readonly parentSlot: number
  /** The transactions of the two programs that did not fail, with their indexes. */
  readonly transactions: readonly ChainTransaction[]
  /** Transactions that cannot be read: theirs may be missing. */
  readonly unreadable: number
}

/** The few questions of Solana's JSON-RPC that the feed asks, with their answers checked. */
export class RpcQuestions {
  readonly client: RpcClient
  #version = TRANSACTION_VERSION

  constructor(client: RpcClient) {
    this.client = client
  }

  /** The newest slot that the server has. */
  async newestSlot(signal: AbortSignal): Promise<number> {
    const answer = await this.client.ask('getSlot', [CONFIRMED], signal)
    if (typeof answer !== 'number') throw new Error("the RPC server's answer to getSlot is none")
    return answer
  }

  /**
   * A slot whose block is of a time (unix seconds) or a little before: the first that is tried behind a guess by the
   * chain's pace. The newest one where the time is still to come.
   */
  async slotAt(seconds: number, signal: AbortSignal): Promise<number> {
    const newest = await this.newestSlot(signal)
    let slot = newest
    for (let guesses = 0; guesses < TIME_GUESSES_MAX; guesses++) {
      const found = await this.#timeAt(slot, signal)
      const next = slot - Math.round(((found - seconds) * 1_000) / GUESSED_SLOT_MS)
      if (found <= seconds && (seconds - found <= TIME_NEAR_SECONDS || slot === newest)) return slot
      slot = Math.max(0, Math.min(newest, next === slot ? slot - 1 : next))
    }
    return slot
  }

  /** When the block of a slot was, or of one shortly before it where that was skipped; unix seconds. */
  async #timeAt(slot: number, signal: AbortSignal): Promise<number> {
    for (let at = slot; at > slot - SKIPPED_SLOTS_MAX; at--) {
      const answer = await this.client.ask('getBlockTime', [at], signal).catch(() => null)
      if (typeof answer === 'number') return answer
    }
    throw new Error(`the RPC server does not say when slot ${slot} was`)
  }

  /** The oldest slot whose block the server keeps; 0 where it does not say. */
  async firstAvailableSlot(signal: AbortSignal): Promise<number> {
    const answer = await this.client.ask('getFirstAvailableBlock', [], signal).catch(() => 0)
    return typeof answer === 'number' ? answer : 0
  }

  /** Slots with a block, `from` to `to`. */
  async slotsWithBlock(from: number, to: number, signal: AbortSignal): Promise<readonly number[]> {
    const answer = await this.client.ask('getBlocks', [from, to, CONFIRMED], signal)
    if (!Array.isArray(answer)) throw new Error("the RPC server's answer to getBlocks is no list")
    return answer.filter((slot) => Number.isSafeInteger(slot) && slot >= from && slot <= to)
  }

  /**
   * null: the slot was skipped.
   * @throws BlockGone when it can never be had, BlockWithoutEvents when the server keeps nothing of what
   *   its transactions did, any other error when it may have it later
   */
  async block(slot: number, signal: AbortSignal): Promise<RpcBlock | null> {
    let answer: unknown
    try {
      answer = await this.#versioned('getBlock', [slot], BLOCK_FORM, signal)
    } catch (error) {
      const code = error instanceof RpcError ? error.code : 0
      if (code === SLOT_SKIPPED || code === LONG_TERM_SLOT_SKIPPED) return null
      if (code === BLOCK_CLEANED_UP) throw new BlockGone(`block ${slot} is no longer there`)
      // Asked again it would be the same, and every later slot would wait for it.
      if (code === UNSUPPORTED_VERSION)
        throw new BlockGone(`block ${slot} holds transactions of a version that is not read`)
      throw error
    }
    const entries = listAt(answer, 'transactions')
    const parentSlot = integerAt(answer, 'parentSlot')
    if (entries === null || parentSlot === null)
      throw new Error(`the RPC server has no block ${slot} yet`)
    return { parentSlot, ...transactionsOf(slot, integerAt(answer, 'blockTime'), entries) }
  }

  /** null: not there (yet). */
  async transaction(signature: string, signal: AbortSignal): Promise<ChainTransaction | null> {
    const answer = await this.#versioned('getTransaction', [signature], TRANSACTION_FORM, signal)
    return isRecord(answer) ? transactionOfRpc(answer) : null
  }

  /**
   * The transactions of an address before one of them, newest first, 1,000 at most; none: the server knows no more.
   * `txIndex` and `seconds` are null where it does not tell them, as servers before Agave 4.0 do not tell the index.
   */
  async signatures(address: string, before: string | null, signal: AbortSignal) {
    const form = { ...CONFIRMED, limit: SIGNATURES_PAGE, ...(before !== null && { before }) }
    const answer = await this.client.ask('getSignaturesForAddress', [address, form], signal)
    if (!Array.isArray(answer))
      throw new Error("the RPC server's answer to getSignaturesForAddress is no list")
    return answer.map((entry: unknown) => {
      const [signature, slot] = [textAt(entry, 'signature'), integerAt(entry, 'slot')]
      if (signature === null || !isSignature(signature) || slot === null)
        throw new Error('the RPC server lists a transaction without its signature and slot')
      const txIndex = integerAt(entry, 'transactionIndex', U32_MAX)
      const failed = isRecord(entry) && hasFailed(entry)
      return { signature, slot, txIndex, seconds: integerAt(entry, 'blockTime', U32_MAX), failed }
    })
  }

  /** Data of the accounts, null where there is none; at most `ACCOUNTS_MAX`. */
  async accounts(
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (Buffer | null)[]> {
    const { values } = await this.#accounts(addresses, signal)
    return values.map(dataOf)
  }

  /** As `accounts`, with the programs that own them and the slot at whose end they were so. */
  async accountsAtSlot(
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly slot: number; readonly accounts: readonly (OwnedAccount | null)[] }> {
    const { answer, values } = await this.#accounts(addresses, signal)
    const accounts = values.map((value) => {
      const [program, data] = [textAt(value, 'owner'), dataOf(value)]
      return program === null || data === null ? null : { program, data }
    })
    return { slot: slotOf(answer, 'getMultipleAccounts'), accounts }
  }

  /** Addresses of the largest token accounts of a mint, 20 at most. */
  async largestTokenAccounts(mint: string, signal: AbortSignal): Promise<readonly string[]> {
    const answer = await this.client.ask('getTokenLargestAccounts', [mint, CONFIRMED], signal)
    const values = listAt(answer, 'value')
    if (values === null)
      throw new Error("the RPC server's answer to getTokenLargestAccounts is no list")
    return values.slice(0, LARGEST_MAX).flatMap((value) => textAt(value, 'address') ?? [])
  }

  async #accounts(addresses: readonly string[], signal: AbortSignal) {
    const form = { ...CONFIRMED, encoding: 'base64' }
    const answer = await this.client.ask('getMultipleAccounts', [addresses, form], signal)
    const values = listAt(answer, 'value')
    if (values?.length !== addresses.length)
      throw new Error("the RPC server's answer to getMultipleAccounts has another length")
    return { answer, values }
  }

  async #versioned(
    method: string,
    params: readonly unknown[],
    form: JsonRecord,
    signal: AbortSignal,
  ): Promise<unknown> {
    const version = this.#version
    const ask = (maxSupportedTransactionVersion: number) =>
      this.client.ask(method, [...params, { ...form, maxSupportedTransactionVersion }], signal)
    try {
      return await ask(version)
    } catch (error) {
      const other = otherVersion(version, error)
      if (other === null) throw error
      const answer = await ask(other).catch((second: unknown) => {
        throw isRefusal(second, INVALID_PARAMS) ? error : second
      })
      this.#version = other
      return answer
    }
  }
}

function dataOf(value: unknown): Buffer | null {
  const data = listAt(value, 'data')?.[0]
  return typeof data === 'string' ? Buffer.from(data, 'base64') : null
}

function slotOf(answer: unknown, method: string): number {
  const slot = integerAt(recordAt(answer, 'context'), 'slot')
  if (slot === null) throw new Error(`the RPC server's answer to ${method} names no slot`)
  return slot
}

/** The version that is asked for next; null: the error is of something else, or of both. */
function otherVersion(version: number, error: unknown): number | null {
  if (version > 0) return isRefusal(error, INVALID_PARAMS) ? 0 : null
  // Of the machines behind one address another one may know the newer version.
  return isRefusal(error, UNSUPPORTED_VERSION) ? TRANSACTION_VERSION : null
}

function isRefusal(error: unknown, code: number): boolean {
  return error instanceof RpcError && error.code === code
}

/** Whether a server will say no the next time too: it keeps no transactions, or lacks the method. */
export function isLastingRefusal(error: unknown): boolean {
  if (error instanceof BlockWithoutEvents) return true
  return error instanceof RpcError && [NO_HISTORY, METHOD_NOT_FOUND].includes(error.code)
}

/** Whether a server lacks the method that it was asked by. */
export function isUnknownMethod(error: unknown): boolean {
  return isRefusal(error, METHOD_NOT_FOUND)
}

/** Whether a question itself is wrong, by the server's word: for another one it may have an answer. */
export function isInvalidParams(error: unknown): boolean {
  return isRefusal(error, INVALID_PARAMS)
}

/** The server keeps no block that old, or none that can be read. */
export class BlockGone extends Error {}

/** The server keeps neither logs nor inner instructions, which nodes do only when they are set to. */
export class BlockWithoutEvents extends Error {}

const TRANSACTION_FORM = { ...CONFIRMED, encoding: 'json' }
const BLOCK_FORM = { ...TRANSACTION_FORM, transactionDetails: 'full', rewards: false }

function transactionsOf(
  slot: number,
  blockTime: number | null,
  entries: readonly unknown[],
): Pick<RpcBlock, 'transactions' | 'unreadable'> {
  const transactions: ChainTransaction[] = []
  let unreadable = 0
  for (const [txIndex, entry] of entries.entries()) {
    const meta = recordAt(entry, 'meta')
    const keys = listAt(recordAt(recordAt(entry, 'transaction'), 'message'), 'accountKeys')
    if (!isRecord(entry) || meta === null || keys === null) {
      unreadable++
      continue
    }
    // Most of a busy block has failed or is of other programs, and is not read any further.
    if (hasFailed(meta) || !isOfPrograms(keys, meta)) continue
    const transaction = transactionOfRpc(entry)
    if (transaction === null) unreadable++
    else if (transaction.selfCpi === null && transaction.logs === null)
      throw new BlockWithoutEvents(
        `the RPC server keeps neither logs nor inner instructions of block ${slot}`,
      )
    else transactions.push({ ...transaction, slot, txIndex, blockTime })
  }
  return { transactions, unreadable }
}

/** Called through lookup tables too: the programs may stand among the loaded addresses. */
function isOfPrograms(keys: readonly unknown[], meta: JsonRecord): boolean {
  const loaded = recordAt(meta, 'loadedAddresses')
  return [keys, listAt(loaded, 'readonly'), listAt(loaded, 'writable')].some(
    (some) => some?.includes(PUMP_PROGRAM) || some?.includes(AMM_PROGRAM),
  )
}
