import { FRAGMENTS } from '../../../src/engine/memory/text-fragments.ts'
import type { Random } from '../../oracle/random.ts'

const DIGITS = '0123456789'
const SMALL = 'abcdefghijklmnopqrstuvwxyz'
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const ALPHABETS = [
  ...[BASE58, `${SMALL}234567`, `${DIGITS}abcdef`, DIGITS, SMALL, `${BASE58}0OIl-_`],
  ...['éàüñßø', '的一是不了人', '🚀🐸💎🙌', '\u0000\u0001\u007f\t\r', ' .,:;!?"\'()[]{}<>\\^`~|'],
] as const
/** Around the lengths at which codes change. */
const LENGTHS = [1, 2, 3, 4, 5, 7, 8, 11, 12, 16, 19, 32, 43, 44, 45, 51, 52, 53, 127, 128] as const
const LONG_LENGTHS = [254, 255, 256, 300, 511, 4_096] as const
const HEADS = [
  ...['https://ipfs.io/ipfs/Qm', 'https://ipfs.io/ipfs/bafkrei', 'ipfs://', 'https://x.com/'],
  ...['https://x.com/status/19', 'https://t.me/', 'https://metadata.tool.io/metadata/', ''],
] as const
const TAILS = ['', '', '', '.json', '.jpg', '?img-width=256', '/'] as const

/** Characters of an alphabet by chance. */
function drawn(random: Random, length: number): string {
  const alphabet = Array.from(random.pick(ALPHABETS))
  const one = () => alphabet[random.integer(0, alphabet.length - 1)]
  // Now and then all of them are the same.
  if (random.chance(0.1)) return one().repeat(length)
  return Array.from({ length }, one).join('')
}

function words(random: Random): string {
  const word = () => FRAGMENTS[random.integer(0, FRAGMENTS.length - 1)]
  const cut = () => word().slice(random.integer(0, 1), random.integer(1, 4))
  const part = () => (random.chance(0.7) ? word() : cut())
  return Array.from({ length: random.integer(1, 12) }, part).join('')
}

/** A text as tokens have them, or as nobody expects it: links, words, runs of all alphabets, one behind the other. */
export function tokenText(random: Random): string {
  const kind = random.unit()
  if (kind < 0.02) return ''
  if (kind < 0.5)
    return random.pick(HEADS) + drawn(random, random.pick(LENGTHS)) + random.pick(TAILS)
  if (kind < 0.7) return words(random)
  if (kind < 0.72) return drawn(random, random.pick(LONG_LENGTHS))
  const parts = random.integer(1, 4)
  const part = () => (random.chance(0.3) ? words(random) : drawn(random, random.integer(1, 60)))
  return Array.from({ length: parts }, part).join('')
}
