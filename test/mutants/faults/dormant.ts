import type { Fault } from '../fault.ts'

const DORMANT = 'test/engine/state/dormant.test.ts'

/** Faults of tokens that rest and are woken. */
export const DORMANT_FAULTS: readonly Fault[] = [
  {
    name: 'dormant: a token rests whose swaps a late event takes back',
    file: 'src/engine/fold/cold-store.ts',
    find: '      t[tAt + TokenLane.lastSwapPlus1] <= reach &&\n',
    replace: '',
    tests: [DORMANT],
  },
  {
    name: 'dormant: a token rests whose creation a late event takes back',
    file: 'src/engine/fold/cold-store.ts',
    find: ' &&\n      !this.#order.reorder.hasEntryOf(token)',
    replace: '',
    tests: [DORMANT],
  },
  {
    name: 'dormant: a wallet still has what was woken since',
    file: 'src/engine/state/position-lists.ts',
    find: 'isDormant(state, copied.u32[at + PositionLane.token], record) &&',
    replace: '',
    tests: ['model', DORMANT],
  },
  {
    name: 'dormant: a wallet with more than is copied still has what was woken since',
    file: 'src/engine/state/position-lists.ts',
    find: 'isDormant(state, token, record) && isListedRecord',
    replace: 'isListedRecord',
    tests: ['test/engine/state/resting-wallets.test.ts'],
  },
  {
    name: 'dormant: pro traders of resting tokens stay what they were',
    file: 'src/engine/fold/position-fold.ts',
    find: '    if (l[lAt + WalletLane.dormantPlus1] === 0) return\n',
    replace: '    return\n',
    tests: ['model', DORMANT],
  },
  {
    name: 'dormant: a wallet that turns pro is counted where what was brought near is awake by now',
    file: 'src/engine/fold/cold-store.ts',
    find: 'if (isDormant(this.#state, token, lanes[at + HOLDING.record]))\n',
    replace: '',
    tests: ['test/engine/fold/cold-holdings-cache.test.ts'],
  },
  {
    name: 'dormant: taking back puts links back that have changed since',
    file: 'src/engine/state/undo-log.ts',
    find: '      for (let i = 0; i < unsaved.length; i++) page[to + unsaved[i]] = this.#scratch[i]\n',
    replace: '',
    tests: ['model', DORMANT],
  },
  {
    name: 'dormant: a slot that is taken out hides those behind it',
    file: 'src/engine/memory/rows.ts',
    find: 'if (((at - home) & mask) < ((at - hole) & mask)) continue',
    replace: 'continue',
    tests: ['test/engine/memory/containers.test.ts'],
  },
  {
    name: 'dormant: a wallet that was read keeps the records of then',
    file: 'src/engine/state/dormant.ts',
    find: 'if (known?.whole.newestPlus1 === newestPlus1) return known.whole',
    replace: 'if (known !== undefined && known.whole.count > 0) return known.whole',
    tests: ['test/engine/state/resting-wallets.test.ts'],
  },
  {
    name: 'dormant: copies that grow count for what they had at first',
    file: 'src/engine/state/dormant.ts',
    find: '{ ...copies }',
    replace: 'copies',
    tests: ['test/engine/state/copied-chains.test.ts'],
  },
  {
    name: 'dormant: copies of a wallet are taken one place too far',
    file: 'src/engine/state/dormant.ts',
    find: 'const at = place * COPIED_RECORD.width * 2',
    replace: 'const at = (place + 1) * COPIED_RECORD.width * 2',
    tests: ['test/engine/state/resting-wallets.test.ts'],
  },
  {
    name: 'dormant: the run of a token is looked for on the first page alone',
    file: 'src/engine/memory/rows.ts',
    find: 'return this.u32[row >>> ROW_SHIFT][(row & ROW_MASK) * this.lanes + lane]',
    replace: 'return this.u32[0][(row & ROW_MASK) * this.lanes + lane]',
    tests: ['test/model/page-ends.test.ts'],
  },
  {
    name: 'tape: a record that is archived is taken back while it lies in memory',
    file: 'src/engine/state/tape.ts',
    find: 'count < this.#firstPlain || count < this.archivedCount',
    replace: 'count < this.#firstPlain',
    tests: ['test/engine/state/tape.test.ts'],
  },
  {
    name: 'resting holdings: the memory of one wallet is told as that of all',
    file: 'src/engine/state/dormant.ts',
    find: 'sum += whole',
    replace: 'sum = whole',
    tests: ['test/engine/fold/cold-holdings-cache.test.ts'],
  },
]
