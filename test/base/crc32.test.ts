import zlib from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crc32, fastestCrc32 } from '../../src/base/crc32.ts'

test('sums are those of zlib, whatever the bytes, where they lie, and what was before them', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 600 }), { maxLength: 4 })
  fc.assert(
    fc.property(pieces, fc.nat(40), (parts, at) => {
      let [ours, theirs] = [0, 0]
      for (const part of parts) {
        const lanes = new Uint8Array(at + part.length + 8)
        lanes.set(part, at)
        ours = crc32(lanes.subarray(at, at + part.length), ours)
        theirs = zlib.crc32(part, theirs)
        expect(ours).toBe(theirs)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('the package is what sums, where it has a build', async () => {
  const native = await import('@node-rs/crc32').catch(() => null)
  if (native === null)
    console.info('skipped: @node-rs/crc32 has no build for this machine, or is not installed')
  else expect(crc32).toBe(native.crc32)
})

test('without the package Node sums', async () => {
  const missing = () => Promise.reject(new Error('Cannot find native binding.'))
  expect(await fastestCrc32(missing)).toBe(zlib.crc32)
})

test.each<[string, typeof crc32]>([
  ['other sums', (bytes, before) => zlib.crc32(bytes, before) ^ 1],
  ['sums that are signed', (bytes, before) => zlib.crc32(bytes, before) | 0],
  ['sums that begin anew each time', (bytes) => zlib.crc32(bytes)],
  ['sums of whole words alone', (bytes, before) => zlib.crc32(wholeWords(bytes), before)],
  [
    'sums that are wrong for long bytes',
    (bytes, before) => zlib.crc32(bytes, before) + Number(bytes.length > 200),
  ],
])('a package with %s does not sum', async (_, wrong) => {
  expect(await fastestCrc32(async () => ({ crc32: wrong }))).toBe(zlib.crc32)
})

function wholeWords(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, bytes.length & ~7)
}
