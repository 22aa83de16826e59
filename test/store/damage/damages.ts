import type { Random } from '../../oracle/random.ts'
import { randomBytes } from './journal-run.ts'

const SECTOR = 512
const BITS = 8
/** Random damages of each sort to one file. */
const RANDOM_ROUNDS = 400
/** Most bytes a file grows by. */
const GROWTH_MAX = 600

/** A file that is to be damaged. */
export interface Victim {
  readonly bytes: Uint8Array
  /** Where its frames, parts or blocks start, and where the last ends. */
  readonly units: readonly number[]
  /** Files of the same kind: of the same run, of another, older ones. */
  readonly others: readonly Uint8Array[]
}

/** Is told of each image and of what was done to it; the bytes change when it returns. */
export type Check = (damage: string, bytes: Uint8Array) => void

/** Every single cut, bit, sector and unit, and random damages of other sorts. */
export function damageEveryWay(victim: Victim, random: Random, check: Check): void {
  cuts(victim, check)
  bits(victim, check)
  sectors(victim, check)
  moveUnits(victim, check)
  spliceUnits(victim, random, check)
  for (let i = 0; i < RANDOM_ROUNDS; i += 1) damageAtRandom(victim, random, check)
}

function cuts({ bytes }: Victim, check: Check): void {
  for (let length = 0; length < bytes.length; length += 1) check('cut', bytes.subarray(0, length))
}

function bits({ bytes }: Victim, check: Check): void {
  const image = new Uint8Array(bytes)
  for (let at = 0; at < image.length; at += 1)
    for (let bit = 0; bit < BITS; bit += 1) {
      image[at] ^= 1 << bit
      check('flipped bit', image)
      image[at] ^= 1 << bit
    }
}

/** 512 bytes that are zeros or come from another file, at every multiple of 8. */
function sectors({ bytes, others }: Victim, check: Check): void {
  for (let at = 0; at < bytes.length; at += 8) {
    const image = new Uint8Array(bytes)
    image.fill(0, at, at + SECTOR)
    check('zeroed sector', image)
    for (const other of others) {
      const stale = other.subarray(at, at + SECTOR)
      image.set(bytes)
      image.set(stale.subarray(0, bytes.length - at), at)
      check('stale sector', image)
    }
  }
}

/** Units that changed places, stand twice, or are gone. */
function moveUnits({ bytes, units }: Victim, check: Check): void {
  const head = bytes.subarray(0, units[0])
  const tail = bytes.subarray(units[units.length - 1])
  const parts = units.slice(1).map((end, i) => bytes.subarray(units[i], end))
  const put = (damage: string, order: readonly Uint8Array[]) =>
    check(damage, Buffer.concat([head, ...order, tail]))
  parts.forEach((part, i) => {
    put('lost unit', parts.toSpliced(i, 1))
    parts.forEach((other, j) => {
      if (i < j) put('swapped units', parts.with(i, other).with(j, part))
      put('repeated unit', parts.toSpliced(j, 0, part))
      put('unit over another', parts.with(j, part))
    })
  })
}

/** Bytes of other files at the start of a unit, put in or put over what is there. */
function spliceUnits({ bytes, units, others }: Victim, random: Random, check: Check): void {
  for (const at of [0, ...units])
    for (const other of others) {
      const length = random.integer(1, other.length)
      for (const from of [at, random.pick([0, ...units])]) {
        const part = other.subarray(from, from + length)
        check('spliced in', Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]))
        const over = Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at + part.length)])
        check('spliced over', over)
      }
    }
}

function damageAtRandom({ bytes, others }: Victim, random: Random, check: Check): void {
  const at = random.integer(0, bytes.length - 1)
  const length = random.integer(1, Math.min(GROWTH_MAX, bytes.length))
  const image = new Uint8Array(bytes)
  image.set(randomBytes(random, Math.min(length, bytes.length - at)), at)
  check('random bytes', image)
  image.set(bytes)
  for (let i = random.integer(2, 12); i > 0; i -= 1)
    image[random.integer(0, image.length - 1)] = random.integer(0, 255)
  check('random places', image)
  check('extended with random bytes', Buffer.concat([bytes, randomBytes(random, length)]))
  check('extended with zeros', Buffer.concat([bytes, new Uint8Array(length)]))
  const [other] = others
  if (other !== undefined)
    check('extended with another', Buffer.concat([bytes, other.subarray(at, at + length)]))
  check('removed bytes', Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]))
  check('random file', randomBytes(random, length))
}

const FOOTER_BYTES = 32
/** What a damaged offset or length of a snapshot's contents may read as. */
const NO_SIZES = [-1, -8, 0.5, 2 ** 40, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, -0]

/** Offset and length in a snapshot's footer that no one wrote, some of them fitting each other. */
export function damageFooter(bytes: Uint8Array, random: Random, check: Check): void {
  const image = new Uint8Array(bytes)
  const view = new DataView(image.buffer)
  const at = image.length - FOOTER_BYTES
  const sizes = [...NO_SIZES, at + 8, -at, random.integer(0, at), at + 0.5, 2 ** 31, 2 ** 32]
  for (const size of sizes) {
    view.setFloat64(at, size, true)
    view.setFloat64(at + 8, at - size, true)
    check('footer of other sizes', image)
    view.setFloat64(at, at - size, true)
    view.setFloat64(at + 8, size, true)
    check('footer of other sizes', image)
  }
}
