import type { Random } from '../../../src/base/random.ts'
import { negotiateCoding } from '../../../src/server/http/reply.ts'
import { matchesEntityTag } from '../../../src/server/http/response-writer.ts'
import { ClientAddresses } from '../../../src/server/sockets/client-address.ts'
import { magic } from '../mutations.ts'
import { type FuzzTarget, holds } from '../target.ts'

const WORDS = [
  'gzip',
  'br',
  ';q=0',
  ';q=0.5',
  ';q=1.001',
  '*',
  'W/"abc"',
  '"abc"',
  ', ',
  '1.2.3.4',
  '10.0.0.1',
  '::1',
  '2001:db8::1',
  '[::1]:443',
  '::ffff:1.2.3.4',
  '%eth0',
  ':80',
  'identity',
]
const TRUSTING = new ClientAddresses(['10.0.0.0/8', '127.0.0.1', 'fd00::/8'])
const PEER = Uint8Array.of(10, 0, 0, 1).buffer
const KEY = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{16})$/

/** Request headers that are read: codings, entity tags, forwarded addresses. */
export const headers: FuzzTarget = {
  name: 'headers',
  words: WORDS,
  make: (random: Random) =>
    Buffer.from(
      Array.from({ length: random.below(8) }, () =>
        random.chance(0.85) ? random.pick(WORDS) : magic(random),
      ).join(random.chance(0.5) ? ',' : ''),
      'latin1',
    ),
  run(input) {
    const text = input.toString('latin1')
    const coding = negotiateCoding(text)
    holds(
      coding === null || text.toLowerCase().includes(coding) || text.includes('*'),
      'a coding that was asked for',
    )
    if (matchesEntityTag(text, 'W/"abc"'))
      holds(text.includes('"abc"') || text.includes('*'), 'a tag that came')
    holds(KEY.test(TRUSTING.keyOf(PEER, text)), 'a client is an IPv4 address or a /64')
  },
}
