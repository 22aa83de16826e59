import { FRAGMENTS } from './text-fragments.ts'
import { TEXT_BYTES_MAX } from './text-store.ts'

/**
 * Texts of tokens as codes of one byte each: a printable character, a fragment that such texts often have, or a run. A run is
 * what no fragment makes shorter, like the random characters of content ids: digits of an alphabet, a few bits each. Of all
 * ways to write a text the shortest is taken. Any bytes come back as they were. The codes are a part of the format of snapshots.
 */
const FIRST_PRINTABLE = 32
const PRINTABLE = Array.from({ length: 95 }, (_, at) => String.fromCharCode(FIRST_PRINTABLE + at))
const PIECES = [...PRINTABLE, ...FRAGMENTS].map((piece) => Buffer.from(piece))
const PIECE_BYTES = Uint8Array.from(PIECES.flatMap((piece) => [...piece]))
/** Where each piece begins in them, and the last one ends. */
const PIECE_STARTS = new Uint16Array(PIECES.length + 1)
PIECES.forEach(({ length }, piece) => {
  PIECE_STARTS[piece + 1] = PIECE_STARTS[piece] + length
})

const DECIMALS = '0123456789'
const SMALL = 'abcdefghijklmnopqrstuvwxyz'
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte)
const ASCII = 128

/**
 * Alphabets of runs: their digits, the bits of one, and from how many on a run may be the shortest way. A run of the usual
 * length has a code of its own: so many digits of a content id are behind `Qm` and `bafkrei`, so many bytes has an emoji. Of
 * others a byte behind the code says how many digits there are.
 */
const ALPHABETS = [
  // Base58 is a part of the base64 of links.
  {
    digits: Buffer.from(`${DECIMALS}${SMALL.toUpperCase()}${SMALL}-_`),
    bits: 6,
    least: 12,
    usual: 44,
  },
  { digits: Buffer.from(`${SMALL}234567`), bits: 5, least: 8, usual: 52 },
  { digits: Buffer.from(`${DECIMALS}abcdef`), bits: 4, least: 6, usual: 32 },
  { digits: BYTES.subarray(ASCII), bits: 7, least: 1, usual: 4 },
  { digits: BYTES, bits: 8, least: 1, usual: 255 },
] as const
/** The last one: any byte starts a run of it that has no piece of its own. */
const ANY = ALPHABETS.length - 1
const BITS = Uint8Array.from(ALPHABETS, ({ bits }) => bits)
const LEAST = Uint8Array.from(ALPHABETS, ({ least }) => least)
const USUAL = Uint8Array.from(ALPHABETS, ({ usual }) => usual)
/** By alphabet and byte: its value as a digit, or that of none. */
const NO_DIGIT = 256
const VALUES = new Uint16Array(ALPHABETS.length * 256).fill(NO_DIGIT)
ALPHABETS.forEach(({ digits }, alphabet) => {
  digits.forEach((byte, value) => {
    VALUES[alphabet * 256 + byte] = value
  })
})
/** The last codes are runs of the usual lengths, then those of others. */
const FIRST_COUNTED = 256 - ALPHABETS.length
const FIRST_USUAL = FIRST_COUNTED - ALPHABETS.length
const RUN_MAX = 255
if (PIECES.length > FIRST_USUAL) throw new RangeError('There are more pieces of texts than codes.')

/** The most bytes of a text's codes: runs of its own bytes. */
export const CODES_MAX = TEXT_BYTES_MAX + 2 * Math.ceil(TEXT_BYTES_MAX / RUN_MAX)

/** Pieces by their first byte alone, then a tree of the others by their first two; -1 and 0 are none. */
const NO_PIECE = -1
const SINGLES = new Int16Array(256).fill(NO_PIECE)
const PAIRS = new Uint16Array(ASCII * ASCII)
/** Of each node: its byte, the piece that ends there, its first child, the next child of its parent. */
const NODES = PIECE_BYTES.length
const NODE_BYTES = new Uint8Array(NODES)
const ENDINGS = new Int16Array(NODES).fill(NO_PIECE)
const CHILDREN = new Uint16Array(NODES)
const SIBLINGS = new Uint16Array(NODES)
plantPieces()

function plantPieces(): void {
  let nodes = 1
  PIECES.forEach((bytes, piece) => {
    if (bytes.length === 1) {
      SINGLES[bytes[0]] = piece
      return
    }
    const pair = bytes[0] * ASCII + bytes[1]
    if (PAIRS[pair] === 0) PAIRS[pair] = nodes++
    let node = PAIRS[pair]
    for (const byte of bytes.subarray(2)) {
      let child = childOf(node, byte)
      if (child === 0) {
        child = nodes++
        NODE_BYTES[child] = byte
        SIBLINGS[child] = CHILDREN[node]
        CHILDREN[node] = child
      }
      node = child
    }
    ENDINGS[node] = piece
  })
}

function childOf(node: number, byte: number): number {
  let child = CHILDREN[node]
  while (child !== 0 && NODE_BYTES[child] !== byte) child = SIBLINGS[child]
  return child
}

/** Of the text from each byte on: the fewest bytes of codes, the first of these codes, and how many bytes that one stands for. */
const costs = new Uint32Array(TEXT_BYTES_MAX + 1)
const codes = new Uint8Array(TEXT_BYTES_MAX)
const taken = new Uint8Array(TEXT_BYTES_MAX)
/** By alphabet: how many of its digits follow one another from where the plan is. */
const digits = new Uint32Array(ALPHABETS.length)

/** Writes the codes of the first `length` bytes of a text into an array, which has room for them; returns how many bytes they have. */
export function encodeText(text: Uint8Array, length: number, into: Uint8Array): number {
  costs[length] = 0
  digits.fill(0)
  for (let at = length - 1; at >= 0; at--) plan(text, at, length)
  let to = 0
  for (let at = 0; at < length; at += taken[at]) {
    into[to++] = codes[at]
    if (codes[at] >= FIRST_USUAL) to = writeRun(text, at, into, to)
  }
  return to
}

/** Finds the shortest way from a byte on; those from all later ones are known. */
function plan(text: Uint8Array, at: number, length: number): void {
  const byte = text[at]
  let code = SINGLES[byte]
  let bytes = 1
  const isOdd = code === NO_PIECE
  let least = isOdd ? CODES_MAX + 1 : 1 + costs[at + 1]
  let end = at + 2
  let node = end > length || (byte | text[at + 1]) >= ASCII ? 0 : PAIRS[byte * ASCII + text[at + 1]]
  for (; node !== 0; node = end < length ? childOf(node, text[end++]) : 0) {
    if (ENDINGS[node] === NO_PIECE || 1 + costs[end] >= least) continue
    least = 1 + costs[end]
    code = ENDINGS[node]
    bytes = end - at
  }
  digits[ANY] = length - at - 1
  const alphabets = isOdd ? ALPHABETS.length : ANY
  for (let alphabet = 0; alphabet < alphabets; alphabet++) {
    if (VALUES[alphabet * 256 + byte] === NO_DIGIT) {
      digits[alphabet] = 0
      continue
    }
    digits[alphabet] += 1
    if (digits[alphabet] < LEAST[alphabet]) continue
    const most = Math.min(digits[alphabet], RUN_MAX)
    const counted = 2 + runBytes(alphabet, most) + costs[at + most]
    if (counted < least) {
      least = counted
      code = FIRST_COUNTED + alphabet
      bytes = most
    }
    const usual = USUAL[alphabet]
    if (most < usual) continue
    const whole = 1 + runBytes(alphabet, usual) + costs[at + usual]
    if (whole >= least) continue
    least = whole
    code = FIRST_USUAL + alphabet
    bytes = usual
  }
  costs[at] = least
  codes[at] = code
  taken[at] = bytes
}

function runBytes(alphabet: number, count: number): number {
  return (count * BITS[alphabet] + 7) >>> 3
}

/** Writes what stands behind the code of the run at a byte. */
function writeRun(text: Uint8Array, from: number, into: Uint8Array, at: number): number {
  const isCounted = codes[from] >= FIRST_COUNTED
  const alphabet = codes[from] - (isCounted ? FIRST_COUNTED : FIRST_USUAL)
  let to = at
  if (isCounted) into[to++] = taken[from]
  let held = 0
  let free = 8
  for (let digit = from; digit < from + taken[from]; digit++) {
    held = (held << BITS[alphabet]) | VALUES[alphabet * 256 + text[digit]]
    free -= BITS[alphabet]
    if (free > 0) continue
    into[to++] = held >>> -free
    free += 8
  }
  if (free < 8) into[to++] = held << free
  return to
}

/** Writes the text of the codes `from` to before `to` into an array, as far as it has room, and returns its length; any bytes are codes. */
export function decodeText(source: Uint8Array, from: number, to: number, into: Uint8Array): number {
  let length = 0
  for (let at = from; at < to && length < into.length; ) {
    const code = source[at++]
    if (code < FIRST_USUAL) {
      const end = PIECE_STARTS[code + 1]
      for (let i = PIECE_STARTS[code]; i < end; i++) into[length++] = PIECE_BYTES[i]
      continue
    }
    const isCounted = code >= FIRST_COUNTED
    const alphabet = code - (isCounted ? FIRST_COUNTED : FIRST_USUAL)
    const count = isCounted ? (source[at++] ?? 0) : USUAL[alphabet]
    readRun(source, at, alphabet, into, length, count)
    at += runBytes(alphabet, count)
    length += count
  }
  return Math.min(length, into.length)
}

function readRun(
  source: Uint8Array,
  from: number,
  alphabet: number,
  into: Uint8Array,
  to: number,
  count: number,
): void {
  const { digits, bits } = ALPHABETS[alphabet]
  const mask = (1 << bits) - 1
  let at = from
  let held = 0
  let free = 0
  for (let i = to; i < to + count; i++) {
    if (free < bits) {
      held = (held << 8) | source[at++]
      free += 8
    }
    free -= bits
    into[i] = digits[(held >>> free) & mask]
  }
}
