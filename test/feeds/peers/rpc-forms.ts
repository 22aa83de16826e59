import { AMM_PROGRAM, PUMP_PROGRAM } from '../../../src/feeds/chain/layouts/programs.ts'
import type { EmittedBytes } from '../../../src/feeds/chain/transactions/program-logs.ts'
import { plainBase58 } from '../../oracle/plain-base58.ts'
import type { Block, BlockTransaction, TestChain } from './chain-blocks.ts'

/** A stranger's program that called ours: nothing of it is read. */
const ROUTER = 'Rouute1111111111111111111111111111111111111'
export const EVENT_TAG = Buffer.from('e445a52e51cb9a1d', 'hex')

export interface Keys {
  readonly accountKeys: readonly string[]
  /** So many of them, from the first on, sign. */
  readonly signersCount: number
}

export function keysOf({ signers = [ROUTER] }: BlockTransaction): Keys {
  const others = [ROUTER, PUMP_PROGRAM, AMM_PROGRAM].filter((key) => !signers.includes(key))
  return { accountKeys: [...signers, ...others], signersCount: signers.length }
}

export function programIndex({ accountKeys }: Keys, event: EmittedBytes): number {
  return accountKeys.indexOf(addressOf(event))
}

function addressOf({ program }: EmittedBytes): string {
  return program === 'pump' ? PUMP_PROGRAM : AMM_PROGRAM
}

/** Programs that stand in the logs of a transaction. */
export function mentions(transaction: BlockTransaction): readonly string[] {
  const programs = transaction.emitted.map(addressOf)
  return transaction.hasFailed ? [PUMP_PROGRAM, AMM_PROGRAM] : [...new Set(programs)]
}

export function logsOf(transaction: BlockTransaction): string[] {
  const lines = [`Program ${ROUTER} invoke [1]`]
  for (const event of transaction.emitted) {
    const program = addressOf(event)
    lines.push(`Program ${program} invoke [2]`, 'Program log: Instruction: Trade')
    lines.push(`Program data: ${Buffer.from(event.bytes).toString('base64')}`)
    lines.push(`Program ${program} success`)
  }
  lines.push(
    `Program ${ROUTER} ${transaction.hasFailed ? 'failed: custom program error' : 'success'}`,
  )
  return lines
}

const FAILURE = { InstructionError: [0, { Custom: 6_002 }] }

/** A `logsNotification`; `cutAt`: the log ends there, as validators cut it. */
export function logsFrame(
  slot: number,
  transaction: BlockTransaction,
  subscription: number,
  cutAt: number | null = null,
): string {
  const whole = logsOf(transaction)
  const logs = cutAt === null ? whole : [...whole.slice(0, cutAt), 'Log truncated']
  const err = transaction.hasFailed ? FAILURE : null
  const value = { signature: transaction.signature, err, logs }
  return JSON.stringify({
    jsonrpc: '2.0',
    method: 'logsNotification',
    params: { result: { context: { slot }, value }, subscription },
  })
}

function tokenBalances(transaction: BlockTransaction, side: 'beforeRaw' | 'afterRaw'): object[] {
  return transaction.balances.map((change, accountIndex) => ({
    accountIndex,
    mint: change.mint,
    owner: change.owner,
    uiTokenAmount: { amount: String(change[side]), decimals: change.decimals ?? 6 },
  }))
}

/** One entry of a block, as `getBlock` answers it with encoding json. */
export function blockEntry(transaction: BlockTransaction): object {
  const keys = keysOf(transaction)
  const instructions = transaction.emitted.map((event) => ({
    programIdIndex: programIndex(keys, event),
    accounts: [],
    data: plainBase58(Buffer.concat([EVENT_TAG, event.bytes])),
  }))
  return {
    transaction: {
      signatures: [transaction.signature],
      message: {
        accountKeys: keys.accountKeys,
        header: { numRequiredSignatures: keys.signersCount },
        instructions: [],
      },
    },
    meta: {
      err: transaction.hasFailed ? FAILURE : null,
      fee: transaction.feeRaw,
      innerInstructions: [{ index: 0, instructions }],
      logMessages: logsOf(transaction),
      preTokenBalances: tokenBalances(transaction, 'beforeRaw'),
      postTokenBalances: tokenBalances(transaction, 'afterRaw'),
      loadedAddresses: { writable: [], readonly: [] },
    },
    version: 0,
  }
}

/** What `getBlock` answers: the others' transactions stand between ours. */
export function blockAnswer(block: Block): object {
  const transactions: object[] = []
  for (const transaction of block.transactions) {
    while (transactions.length < transaction.index) transactions.push(OTHER)
    transactions.push(blockEntry(transaction))
  }
  return { parentSlot: block.parentSlot, blockTime: block.timestamp, transactions }
}

const OTHER = {
  transaction: { signatures: ['other'], message: { accountKeys: [ROUTER], instructions: [] } },
  meta: {
    err: null,
    fee: 5_000,
    innerInstructions: [],
    logMessages: [],
    preTokenBalances: [],
    postTokenBalances: [],
  },
  version: 0,
}

export function transactionAnswer(block: Block, transaction: BlockTransaction) {
  return {
    slot: block.slot,
    transactionIndex: transaction.index,
    blockTime: block.timestamp,
    ...blockEntry(transaction),
  }
}

/** The chain as a file of `getTransaction` answers, in its order. */
export function transactionLines({ blocks }: TestChain): readonly string[] {
  return blocks.flatMap((block) =>
    block.transactions.map((transaction) => JSON.stringify(transactionAnswer(block, transaction))),
  )
}
