import { expect, test } from 'vitest'
import { bytesOf, lanesOf } from '../../../src/engine/memory/views.ts'
import { WiderImages } from '../../../src/store/upgrades/wider-births.ts'

/** What a birth took in the log of version 3, and takes now, with what each image ends with. */
const OLD_LANES = 26
const LANES = 30
const BIRTHS = 1
/** They fill a log of 256 lanes nearly, and are more than that once they are wider. */
const IMAGES = 9
const TAIL = 1_000

test('a log that is full of births of version 3 is longer when they are wider', () => {
  const old = new Uint32Array(IMAGES * OLD_LANES)
  for (let image = 0; image < IMAGES; image++) {
    const at = image * OLD_LANES
    old.fill(image + 1, at, at + OLD_LANES)
    old.set([BIRTHS, image], at + OLD_LANES - 2)
  }
  const facts = [256, TAIL + old.length, TAIL]
  const log = new WiderImages().log({ name: 'undo', facts, bytes: bytesOf(old) })
  expect(log.facts).toEqual([512, TAIL + IMAGES * LANES, TAIL])
  const lanes = lanesOf(log.bytes)
  expect(lanes.length).toBe(IMAGES * LANES)
  for (let image = 0; image < IMAGES; image++) {
    const row = lanes.subarray(image * LANES, (image + 1) * LANES)
    const kept = new Array<number>(OLD_LANES - 2).fill(image + 1)
    expect([...row]).toEqual([...kept, 0, 0, 0, 0, BIRTHS, image])
  }
})
