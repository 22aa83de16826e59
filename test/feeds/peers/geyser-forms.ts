import { decodeBase58 } from '../../../src/base/base58.ts'
import type { Block, BlockTransaction } from './chain-blocks.ts'
import { EVENT_TAG, keysOf, logsOf, programIndex } from './rpc-forms.ts'

/** Updates of the Yellowstone service, in the form its messages are encoded from. */

const PROCESSED = 0
const CONFIRMED = 1
const DEAD = 6

export function slotProcessed(slot: number): object {
  return { slot: { slot, parent: slot - 1, status: PROCESSED } }
}

export function slotConfirmed(slot: number): object {
  return { slot: { slot, parent: slot - 1, status: CONFIRMED } }
}

export function slotDead(slot: number): object {
  return { slot: { slot, parent: slot - 1, status: DEAD } }
}

/** An update as servers since Agave 4.3 send it: with the bank of the slot. */
export function ofBank(bankId: number, update: object): object {
  return Object.fromEntries(
    Object.entries(update).map(([kind, value]) => [
      kind,
      kind === 'ping' ? value : { ...value, bankId },
    ]),
  )
}

export function blockMeta({ slot, parentSlot }: Block): object {
  return { blockMeta: { slot, parentSlot } }
}

export function transactionUpdate(slot: number, transaction: BlockTransaction): object {
  const side = (amount: 'beforeRaw' | 'afterRaw') =>
    transaction.balances.map((change) => ({
      mint: change.mint,
      owner: change.owner,
      uiTokenAmount: { amount: String(change[amount]), decimals: change.decimals ?? 6 },
    }))
  const keys = keysOf(transaction)
  return {
    transaction: {
      slot,
      transaction: {
        signature: bytesOf(transaction.signature),
        index: transaction.index,
        transaction: {
          message: {
            header: { numRequiredSignatures: keys.signersCount },
            accountKeys: keys.accountKeys.map(bytesOf),
          },
        },
        meta: {
          ...(transaction.hasFailed && { err: { err: Buffer.from([8]) } }),
          fee: transaction.feeRaw,
          innerInstructions: [
            {
              index: 0,
              instructions: transaction.emitted.map((event) => ({
                programIdIndex: programIndex(keys, event),
                data: Buffer.concat([EVENT_TAG, event.bytes]),
              })),
            },
          ],
          logMessages: logsOf(transaction),
          preTokenBalances: side('beforeRaw'),
          postTokenBalances: side('afterRaw'),
        },
      },
    },
  }
}

function bytesOf(text: string): Buffer {
  return Buffer.from(decodeBase58(text) ?? [])
}
