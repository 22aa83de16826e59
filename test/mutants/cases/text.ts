/** Text of any length and kind. */
import { created, START_SECOND, swap } from '../../oracle/fixtures.ts'
import type { Case } from '../check.ts'
import { story } from '../story.ts'

const LINKS = ['ftp://a.b/c', 'javascript:alert(1)', 'HTTPS://A.b', 'ipfs://x', 'http://x.y', 'x.y']

const metadata = LINKS.map((link) => ({
  type: 'metadata' as const,
  timestamp: START_SECOND,
  mint: 'mint',
  website: link,
  image: link,
  description: '🐸'.repeat(4_097),
}))

export const cases: readonly Case[] = [
  story('long names', [
    created({ name: '🐸'.repeat(257), symbol: `a${'🐸'.repeat(256)}`, uri: '𝔘'.repeat(513) }),
    swap(),
  ]),
  story('links and descriptions', [created(), ...metadata]),
]
