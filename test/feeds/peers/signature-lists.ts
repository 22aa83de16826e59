import { decodeEvent } from '../../../src/feeds/chain/layouts/decode-event.ts'
import type { Block, BlockTransaction } from './chain-blocks.ts'
import { curveOf } from './program-forms.ts'

/** How a server lists the transactions of an address. */
export interface SignatureLists {
  /** Entries of an answer, fewer than are asked for. */
  readonly pageEntries?: number
  /** Whether it tells the index of a transaction in its block. */
  readonly tellsIndex?: boolean
  /** First slot that it has in its lists. */
  readonly firstSlot?: number
}

/** What `getSignaturesForAddress` answers of these blocks: newest first, failed ones among them. */
export function listedSignatures(
  blocks: readonly Block[],
  params: readonly unknown[],
  { pageEntries = 1_000, tellsIndex = true, firstSlot = 0 }: SignatureLists,
): readonly object[] {
  const [address, form] = params
  const { before = null, limit = 1_000 } = Object(form)
  const all = blocks
    .filter(({ slot }) => slot >= firstSlot)
    .flatMap(({ slot, timestamp, transactions }) =>
      transactions
        .filter((one) => one.hasFailed || addressesOf(one).has(String(address)))
        .map(({ signature, index, hasFailed }) => ({
          ...{ signature, slot, blockTime: timestamp, memo: null },
          ...{ err: hasFailed ? { InstructionError: [0, 'Custom'] } : null },
          ...(tellsIndex && { transactionIndex: index }),
        })),
    )
    .reverse()
  const from = before === null ? 0 : all.findIndex(({ signature }) => signature === before) + 1
  return from === 0 && before !== null ? [] : all.slice(from, from + Math.min(limit, pageEntries))
}

/** Curves and pools that the events of a transaction name: the accounts of whatever it did. */
function addressesOf({ emitted }: BlockTransaction): ReadonlySet<string> {
  const addresses = new Set<string>()
  for (const { program, bytes } of emitted) {
    const event = decodeEvent(program, bytes)
    if (event === null) continue
    const named = (name: string) => String(event.values[event.layout.indexes.get(name) ?? -1] ?? '')
    for (const name of ['pool', 'bonding_curve']) addresses.add(named(name))
    addresses.add(curveOf(named('mint')))
  }
  return addresses
}
