import { expect, test } from 'vitest'
import { SlotBanks } from '../../../src/feeds/yellowstone/geyser-reader.ts'
import type { GeyserTransaction } from '../../../src/feeds/yellowstone/geyser-update.ts'

function transaction(index: number): GeyserTransaction {
  return {
    signature: new Uint8Array(64).fill(index),
    index,
    transaction: { message: { accountKeys: [] } },
    meta: {},
  }
}

function started() {
  let dropped = 0
  const banks = new SlotBanks((count) => {
    dropped += count
  })
  return { banks, dropped: () => dropped }
}

test('a server that names no bank is told as it comes', () => {
  const { banks, dropped } = started()
  expect(banks.transaction(5, 0, transaction(1))).toBe(true)
  expect(banks.block(5, 0)).toEqual([])
  expect(banks.transaction(5, 0, transaction(2))).toBe(true)
  expect(dropped()).toBe(0)
})

test('transactions wait for the block meta, and those of its bank stay', () => {
  const { banks, dropped } = started()
  for (const [bank, index] of [
    [7, 1],
    [8, 2],
    [7, 3],
    [8, 4],
    [9, 5],
  ])
    expect(banks.transaction(5, bank, transaction(index))).toBe(false)
  expect(banks.block(5, 7)?.map(({ index }) => index)).toEqual([1, 3])
  expect(dropped()).toBe(3)
  // What comes behind it is known at once.
  expect(banks.transaction(5, 7, transaction(6))).toBe(true)
  expect(banks.transaction(5, 8, transaction(7))).toBe(false)
  expect(dropped()).toBe(4)
  // The same ids in another slot are other banks.
  expect(banks.transaction(6, 8, transaction(8))).toBe(false)
  expect(banks.block(6, 8)?.map(({ index }) => index)).toEqual([8])
})

test('the block meta of a bank that is dead, or not the confirmed one, is not that of the slot', () => {
  const { banks, dropped } = started()
  banks.transaction(5, 7, transaction(1))
  banks.transaction(5, 8, transaction(2))
  banks.dead(5, 7)
  expect(dropped()).toBe(1)
  expect(banks.block(5, 7)).toBeNull()
  expect(banks.transaction(5, 7, transaction(3))).toBe(false)
  expect(banks.block(5, 8)?.map(({ index }) => index)).toEqual([2])
  banks.transaction(6, 9, transaction(4))
  banks.confirmed(6, 9)
  expect(banks.block(6, 10)).toBeNull()
  expect(banks.block(6, 9)?.map(({ index }) => index)).toEqual([4])
  expect(banks.block(6, 10)).toBeNull()
  expect(dropped()).toBe(2)
})

test('a dead slot without a bank drops what is held of it, and a dead bank nothing of the others', () => {
  const { banks, dropped } = started()
  banks.transaction(5, 7, transaction(1))
  banks.transaction(6, 8, transaction(2))
  banks.dead(5, 0)
  banks.dead(6, 9)
  expect(dropped()).toBe(1)
  expect(banks.block(6, 8)).toHaveLength(1)
})

test('what is held is bounded: slots that were let go have no block, and are back-filled', () => {
  const { banks, dropped } = started()
  const [many, few] = [99_990, 20]
  for (let index = 0; index < many; index++) banks.transaction(5, 7, transaction(1))
  for (let index = 0; index < few; index++) banks.transaction(6, 8, transaction(1))
  expect(dropped()).toBe(many)
  expect(banks.block(5, 7)).toBeNull()
  expect(banks.block(6, 8)).toHaveLength(few)
  banks.transaction(9, 3, transaction(1))
  for (let slot = 10; slot < 10 + 1_024; slot++) banks.confirmed(slot, 1)
  expect(dropped()).toBe(many + 1)
  expect(banks.block(9, 3)).toBeNull()
})
