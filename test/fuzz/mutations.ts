import type { Random } from '../../src/base/random.ts'

/** Inputs do not grow over this, so that a campaign is about readers and not about copying. */
const INPUT_BYTES_MAX = 4096

const MAGIC_NUMBERS = [
  '0',
  '-1',
  '1e1',
  '1e308',
  '1e309',
  '-0',
  '0x10',
  '9007199254740993',
  '18446744073709551616',
  '4294967296',
  '99999999999999999999999999999999',
  '0.1',
  'NaN',
  'Infinity',
  'null',
  'true',
]
const MAGIC_TEXTS = [
  '',
  ' ',
  '%',
  '%0',
  '%ff',
  '%00',
  '%C3%28',
  '\u0000',
  '\ud800',
  '\udfff',
  '\u202e',
  '__proto__',
  'constructor',
  'toString',
  '../',
  '"',
  "'",
  '\\',
  '\\u0000',
  '\\ud800',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '&',
  '=',
  '#',
  '?',
  '\r\n',
  '\n',
  '\t',
  '\ufeff',
  'é',
  '💥',
  'a'.repeat(129),
  '0'.repeat(400),
]

/** Some of the words that readers tend to stumble over. */
export function magic(random: Random): string {
  return random.chance(0.4) ? random.pick(MAGIC_NUMBERS) : random.pick(MAGIC_TEXTS)
}

/** One to four changes of an input; `others` are inputs to take pieces from. */
export function mutated(
  input: Buffer,
  random: Random,
  words: readonly string[],
  others: readonly Buffer[],
): Buffer {
  let bytes = input
  const changes = 1 + random.below(4)
  for (let change = 0; change < changes; change++) bytes = changedOnce(bytes, random, words, others)
  return bytes.length > INPUT_BYTES_MAX ? bytes.subarray(0, INPUT_BYTES_MAX) : bytes
}

function changedOnce(
  input: Buffer,
  random: Random,
  words: readonly string[],
  others: readonly Buffer[],
): Buffer {
  const at = random.below(input.length + 1)
  const end = Math.min(input.length, at + random.below(16))
  const put = (middle: Buffer, from = at) =>
    Buffer.concat([input.subarray(0, at), middle, input.subarray(from)])
  switch (random.below(8)) {
    case 0:
      return flipped(input, random)
    case 1:
      return put(Buffer.alloc(0), end)
    case 2:
      return put(Buffer.from(magic(random)))
    case 3:
      return put(Buffer.from(magic(random)), end)
    case 4:
      return words.length === 0 ? input : put(Buffer.from(random.pick(words)), end)
    case 5:
      return put(input.subarray(at, end), random.chance(0.5) ? at : end)
    case 6:
      return input.subarray(0, at)
    default:
      return others.length === 0 ? input : put(random.pick(others).subarray(random.below(20)))
  }
}

function flipped(input: Buffer, random: Random): Buffer {
  if (input.length === 0) return input
  const bytes = Buffer.from(input)
  const at = random.below(bytes.length)
  bytes[at] = random.chance(0.5) ? bytes[at] ^ (1 << random.below(8)) : random.below(256)
  return bytes
}

/** Any JSON value, mostly small; strings and keys out of `words` or magic. */
export function randomJson(random: Random, words: readonly string[], depth = 3): unknown {
  const text = () => (random.chance(0.6) && words.length > 0 ? random.pick(words) : magic(random))
  switch (random.below(depth > 0 ? 8 : 5)) {
    case 0:
      return null
    case 1:
      return random.chance(0.5)
    case 2:
      return Number(random.pick(MAGIC_NUMBERS)) || random.below(1000)
    case 3:
    case 4:
      return text()
    case 5:
      return Array.from({ length: random.below(4) }, () => randomJson(random, words, depth - 1))
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(5) }, () => [
          text(),
          randomJson(random, words, depth - 1),
        ]),
      )
  }
}
