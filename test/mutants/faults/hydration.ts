import type { Fault } from '../fault.ts'

const STATE = ['test/engine/fold/token-state.test.ts']
const FEED = ['test/feeds/hydration/hydration-feed.test.ts']
const LIFECYCLE = 'src/engine/fold/token-lifecycle.ts'
const HYDRATION = 'src/feeds/hydration/hydration-feed.ts'

/** Faults of what the chain is asked for, and of what its answers change. */
export const HYDRATION_FAULTS: readonly Fault[] = [
  {
    name: 'state of a mint: it overrides what the creation said',
    file: LIFECYCLE,
    find: '    if (flags & TokenFlag.creationKnown) return\n    const { book, profiles }',
    replace: '    const { book, profiles }',
    tests: STATE,
  },
  {
    name: 'state of a mint: a mint that nobody traded becomes a token',
    file: LIFECYCLE,
    find: '    if ((flags & TokenFlag.exists) === 0) return\n    this.#save(token)',
    replace: '    t[tAt + TokenLane.flags] |= TokenFlag.exists\n    this.#save(token)',
    tests: STATE,
  },
  {
    name: 'state of a mint: a migration counts for a creator whose launch was not seen',
    file: LIFECYCLE,
    find: ' || (t[tAt + TokenLane.flags] & TokenFlag.creationKnown) === 0) return',
    replace: ') return',
    tests: STATE,
  },
  {
    name: 'state of a mint: who was taken for the creator stays marked',
    file: 'src/engine/fold/wallet-classes.ts',
    find: '    if (unmarked >= 0) this.#holders',
    replace: '    if (unmarked < -1) this.#holders',
    tests: [...STATE, 'model'],
  },
  {
    name: 'state of a mint: what the feed said of who was taken for the creator is lost',
    file: 'src/engine/fold/wallet-classes.ts',
    find: 'if (flags & Flag.insiderGiven && flags & Flag.insiderValue)\n',
    replace: 'if (flags & 0)\n',
    tests: STATE,
  },
  {
    name: 'hydration: an answer does not wait for the feed',
    file: HYDRATION,
    find: 'if (aheadSlots > 0 && nowMs - held.sinceMs < HELD_MS) continue',
    replace: '',
    tests: FEED,
  },
  {
    name: 'hydration: twice as many questions as are allowed',
    file: HYDRATION,
    find: '1_000 / this.#perSecond',
    replace: '500 / this.#perSecond',
    tests: FEED,
  },
  {
    name: 'hydration: holders wait for all names',
    file: HYDRATION,
    find: '(names.length === 0 || !this.#wasOfHolders)',
    replace: 'names.length === 0',
    tests: FEED,
  },
  {
    name: 'hydration: of several accounts of a wallet the last one counts',
    file: 'src/feeds/hydration/hydration-events.ts',
    find: '    else balances.set(held.owner, (balances.get(held.owner) ?? 0n) + held.amountRaw)',
    replace: '    else balances.set(held.owner, held.amountRaw)',
    tests: FEED,
  },
  {
    name: 'hydration: texts that say they are of another mint are taken',
    file: 'src/feeds/hydration/account-layouts.ts',
    find: 'return isOwn ? textsAt(content, 2 * ADDRESS_BYTES) : null',
    replace: 'return textsAt(content, 2 * ADDRESS_BYTES)',
    tests: ['test/feeds/hydration/account-layouts.test.ts'],
  },
  {
    name: 'hydration: an account of several signers is read as a mint',
    file: 'src/feeds/hydration/account-layouts.ts',
    find: 'return data.length !== MULTISIG_BYTES && data[KIND_AT] === kind',
    replace: 'return data[KIND_AT] === kind',
    tests: ['test/feeds/hydration/account-layouts.test.ts'],
  },
  {
    name: 'hydration: a longer account of the legacy program is read',
    file: 'src/feeds/hydration/account-layouts.ts',
    find: 'if (program === TOKEN_PROGRAM || data.length <= KIND_AT) return data.length === plainBytes',
    replace: 'if (data.length <= KIND_AT) return data.length === plainBytes',
    tests: ['test/feeds/hydration/account-layouts.test.ts'],
  },
]
