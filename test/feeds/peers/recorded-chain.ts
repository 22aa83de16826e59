import { encodeBase58 } from '../../../src/base/base58.ts'
import { eventsOfLogs } from '../../../src/feeds/chain/transactions/program-logs.ts'
import {
  transactionOfLogsFrame,
  transactionOfRpc,
} from '../../../src/feeds/chain/transactions/rpc-json.ts'
import type { ChainTransaction } from '../../../src/feeds/chain/transactions/transaction.ts'
import { dataLines, dataText } from '../data-folder.ts'
import type { Block, BlockTransaction, TestChain } from './chain-blocks.ts'

const FRAMES = ['jouleka-memecoin-bot', 'logs_subscribe_pumpfun.jsonl']
const TRANSACTION = ['chainstack-pumpfun-bot', 'raw_create_tx_from_gettransaction.json']

/** The recorded log frames as they came, block by block, and the lines of their file in that order. */
export function recordedLogs(): { chain: TestChain; lines: readonly string[] } {
  const bySlot = new Map<number, { frame: string; line: string; transaction: ChainTransaction }[]>()
  for (const line of dataLines(...FRAMES)) {
    const frame: string = JSON.parse(line).raw
    const transaction = transactionOfLogsFrame(JSON.parse(frame))
    if (transaction?.slot == null) continue
    const block = bySlot.get(transaction.slot) ?? []
    bySlot.set(transaction.slot, [...block, { frame, line, transaction }])
  }
  const slots = [...bySlot].sort(([a], [b]) => a - b)
  const blocks = slots.map(
    ([slot, frames], n): Block => ({
      slot,
      parentSlot: n === 0 ? slot - 1 : slots[n - 1][0],
      timestamp: 0,
      transactions: frames.map(({ frame, transaction }, index) => ({
        signature: transaction.signature,
        index,
        hasFailed: transaction.failed,
        feeRaw: 5_000,
        emitted: transaction.failed ? [] : eventsOfLogs(transaction.logs ?? []).emitted,
        balances: [],
        frame,
      })),
    }),
  )
  const lines = slots.flatMap(([, frames]) => frames.map(({ line }) => line))
  return { chain: { blocks, accounts: new Map() }, lines }
}

/** The recorded transaction with all that the chain says of it, alone in its block, and its file's text. */
export function recordedTransaction(): { chain: TestChain; lines: readonly string[] } {
  const text = dataText(...TRANSACTION)
  const answer = JSON.parse(text)
  // The file is from before nodes told the index.
  const entry = { ...(answer.result ?? answer), transactionIndex: 31 }
  const transaction = transactionOfRpc(entry)
  if (transaction?.slot == null) throw new Error('the recorded transaction cannot be read')
  const { slot, signature, feeRaw, selfCpi, balances, signers } = transaction
  const told: BlockTransaction = {
    ...{ signature, index: 31, hasFailed: false, feeRaw: Number(feeRaw), balances, signers },
    emitted: selfCpi ?? [],
  }
  const empty = (n: number): Block => ({
    ...{ slot: slot + n, parentSlot: slot + n - 1, timestamp: 0 },
    transactions: [{ ...told, emitted: [], balances: [], signature: filler(n) }],
  })
  const blocks = [{ ...empty(0), transactions: [told] }, empty(1), empty(2)]
  return {
    chain: { blocks, accounts: new Map() },
    lines: [JSON.stringify({ jsonrpc: '2.0', result: entry })],
  }
}

function filler(n: number): string {
  return encodeBase58(Buffer.alloc(64, n))
}
