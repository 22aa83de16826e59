import { expect, test } from 'vitest'
import { Rows } from '../../../src/engine/memory/rows.ts'
import { lanesIn } from '../../../src/engine/memory/views.ts'
import {
  HolderClass,
  LifecycleLane,
  ProfileLane,
  SeldomLane,
  WindowLane,
} from '../../../src/engine/state/layout.ts'
import { State } from '../../../src/engine/state/state.ts'
import { Profiles, SparseRows } from '../../../src/engine/state/token-rows.ts'
import { type FormerImages, NEW_IDS, UndoLog } from '../../../src/engine/state/undo-log.ts'
import { Random } from '../../oracle/random.ts'

const SEED = 20_261_130
const TOKENS = 3
const { sniper, bundle, insider, fresh, pro, any } = HolderClass
const CLASSES = [sniper, bundle, insider, fresh, pro, any] as const
const MOST = 2n ** 64n - 1n

/** Balances as a feed may give them: few, many, and all that an amount can be. */
function balanceOf(random: Random): bigint {
  const bits = random.pick([8, 31, 32, 33, 50, 63, 64])
  const wide =
    BigInt(random.integer(0, 2 ** 32 - 1)) * 2n ** 32n + BigInt(random.integer(0, 2 ** 32 - 1))
  return random.chance(0.1) ? MOST : wide >> BigInt(64 - bits)
}

interface Holder {
  readonly token: number
  readonly of: number
  readonly balance: bigint
}

function change({ crowds }: State, { token, of, balance }: Holder, sign: number): void {
  crowds.count(token, of, Number(balance & 0xffffffffn), Number(balance >> 32n), sign)
}

function expectSums({ crowds }: State, held: readonly Holder[]): void {
  for (let token = 0; token < TOKENS; token++)
    for (const of of CLASSES) {
      const own = held.filter((one) => one.token === token && one.of === of)
      const sum = own.reduce((total, { balance }) => total + balance, 0n)
      expect(crowds.sum(token, of)).toBe(Number(sum))
      expect(crowds.holders(token, of)).toBe(own.length)
    }
}

test(`sums of balances are exact past 2^64, and are taken back (seed ${SEED})`, () => {
  const random = new Random(SEED)
  for (let round = 0; round < 20; round++) {
    const state = new State()
    state.coverToken(TOKENS - 1)
    let held: readonly Holder[] = []
    const before: { readonly mark: number; readonly held: readonly Holder[] }[] = []
    for (let step = 0; step < 200; step++) {
      if (random.chance(0.05) && before.length > 0) {
        const back = before.splice(random.integer(0, before.length - 1))[0]
        if (back === undefined) throw new Error('there is one')
        state.undo.rollBackTo(back.mark)
        held = back.held
        expectSums(state, held)
      }
      before.push({ mark: state.undo.mark, held })
      const token = random.integer(0, TOKENS - 1)
      state.saveToken(token)
      const leaving = held.find((one) => one.token === token && random.chance(0.3))
      const holder = leaving ?? { token, of: random.pick(CLASSES), balance: balanceOf(random) }
      change(state, holder, leaving === undefined ? 1 : -1)
      held = leaving === undefined ? [...held, holder] : held.filter((one) => one !== leaving)
    }
    expectSums(state, held)
    const { classes, tops } = state.crowds
    for (const { rows } of [classes, tops]) expect(rows.count).toBeLessThanOrEqual(TOKENS + 1)
  }
})

test('a token without holders of a class has no row for them, and one row from the first on', () => {
  const state = new State()
  state.coverToken(1)
  const { classes, tops } = state.crowds
  change(state, { token: 1, of: HolderClass.any, balance: MOST }, 1)
  expect([classes.rows.count, tops.rows.count]).toEqual([1, 1])
  change(state, { token: 1, of: HolderClass.fresh, balance: 1n }, 1)
  change(state, { token: 1, of: HolderClass.pro, balance: 1n }, 1)
  change(state, { token: 1, of: HolderClass.fresh, balance: 1n }, -1)
  expect([classes.rows.count, tops.rows.count]).toEqual([2, 1])
  expect([classes.rowOf(0), classes.rowOf(1)]).toEqual([0, 1])
})

test('a row that is taken after its owner was saved is empty once that is taken back, and the same one after', () => {
  const owners = new Rows(2)
  const undo = new UndoLog()
  undo.register(owners, [1])
  const sparse = new SparseRows({ owners, lane: 1 }, 2, undo, { id: NEW_IDS.seldom })
  owners.add()
  const mark = undo.mark
  undo.save(0, 0)
  sparse.save(0)
  owners.set(0, 0, 7)
  const row = sparse.take(0)
  sparse.rows.set(row, 1, 8)
  undo.rollBackTo(mark)
  expect([owners.get(0, 0), sparse.get(0, 1)]).toEqual([0, 0])
  expect([sparse.take(0), sparse.rows.count]).toEqual([row, 2])
})

test('equal profiles are one row, and a change of one token is none of the others', () => {
  const births = new Rows(LifecycleLane.lanes)
  const profiles = new Profiles(births)
  for (let token = 0; token < 300; token++) {
    births.add()
    profiles.change(token, (profile) => {
      profile[ProfileLane.decimals] = token % 3
      profile[ProfileLane.passedSupplyLo + 1] = token % 2
    })
  }
  expect(profiles.rows.count).toBe(6)
  profiles.change(7, (profile) => {
    profile[ProfileLane.quote] = 9
  })
  for (let token = 0; token < 300; token++) {
    const lanes = [ProfileLane.decimals, ProfileLane.passedSupplyLo + 1, ProfileLane.quote]
    const expected = [token % 3, token % 2, token === 7 ? 9 : 0]
    expect(lanes.map((lane) => profiles.get(token, lane))).toEqual(expected)
  }
})

test('a log with images of former rows is written anew, and its marks lead to the same rows', () => {
  const former = new UndoLog()
  const [wide, other] = [new Rows(6), new Rows(2)]
  for (const rows of [wide, other]) former.register(rows)
  const now = new UndoLog()
  const [narrow, same] = [new Rows(2), new Rows(2)]
  for (const rows of [narrow, same]) now.register(rows)
  for (const rows of [wide, other, narrow, same]) for (let row = 0; row < 4; row++) rows.add()
  const random = new Random(SEED)
  const states: { readonly mark: number; readonly lanes: readonly number[] }[] = []
  const lanesOf = (rows: Rows, lane: number) => [0, 1, 2, 3].map((row) => rows.get(row, lane))
  for (let step = 1; step < 200; step++) {
    states.push({ mark: former.mark, lanes: [...lanesOf(wide, 5), ...lanesOf(other, 1)] })
    const [rows, row] = [random.integer(0, 1), random.integer(0, 3)]
    former.save(rows, row)
    if (rows === 0) wide.set(row, 5, step)
    else other.set(row, 1, step)
  }
  // As after a day: the oldest images are gone, in the middle of one.
  former.forgetBefore((states[20]?.mark ?? 0) + 1)
  const views = now.part.open(former.part.facts())
  for (const [i, view] of former.part.views().entries()) views[i]?.set(view)
  for (let row = 0; row < 4; row++) {
    narrow.set(row, 1, wide.get(row, 5))
    same.set(row, 1, other.get(row, 1))
  }
  const foreseen: number[] = []
  const images: FormerImages = {
    lanes: 6,
    foresee: (row) => foreseen.push(row),
    convert: (row, image, put) => put(0, row, Uint32Array.of(0, image[5] ?? 0)),
  }
  const marks = now.bringUp(new Map([[0, images]]))
  expect(foreseen.length).toBeGreaterThan(50)
  expect(marks(states[3]?.mark ?? 0)).toBeLessThan(now.tail)
  for (const { mark, lanes } of states.slice(21).reverse()) {
    expect(marks(mark)).toBeGreaterThanOrEqual(now.tail)
    now.rollBackTo(marks(mark))
    expect([...lanesOf(narrow, 1), ...lanesOf(same, 1)]).toEqual(lanes)
  }
})

test('what is seldom of a birth is what it was once that is taken back', () => {
  const state = new State()
  state.coverToken(0)
  const { seldom, undo } = state
  seldom.rows.set(seldom.add(0), SeldomLane.migratedAt, 5)
  const { mark } = undo
  state.saveBirth(0)
  seldom.rows.set(seldom.take(0), SeldomLane.migratedAt, 6)
  undo.rollBackTo(mark)
  expect(seldom.get(0, SeldomLane.migratedAt)).toBe(5)
})

test('the window and the profile of a token come from the rows of a former snapshot', () => {
  const state = new State()
  const lanes = new Map([
    ['tokens', []],
    ['births', [8, 9, 22, 23]],
    ['windows', [1]],
  ])
  const former = state.parts.flatMap((part) => (lanes.has(part.name) ? [part.former?.(13)] : []))
  for (const part of former) {
    const [view] = part?.open([1]) ?? []
    if (view === undefined) throw new Error('the part has a row')
    for (const lane of lanes.get(part?.name ?? '') ?? []) lanesIn(view)[lane] = lane
  }
  for (const part of former) part?.settle()
  const { decimals, quote, passedSupplyLo } = ProfileLane
  const profile = [decimals, quote, passedSupplyLo, passedSupplyLo + 1]
  expect(profile.map((lane) => state.profiles.get(0, lane))).toEqual([8, 9, 22, 23])
  expect(state.windows.rows.get(state.windows.rowOf(0), WindowLane.sells)).toBe(1)
})
