import fc from 'fast-check'
import { expect, test } from 'vitest'
import { U32List } from '../../../src/engine/memory/rows.ts'
import { PagedBytes, PLACE_MASK } from '../../../src/engine/memory/views.ts'

const PAGE_BYTES = PLACE_MASK + 1

/** Entries short and long: some begin just before the end of a page, and some are longer than one. */
const lengths = fc.array(
  fc.oneof(
    fc.integer({ min: 1, max: 200 }),
    fc.integer({ min: PAGE_BYTES - 3_000, max: PAGE_BYTES + 3_000 }),
    fc.integer({ min: 1, max: 3 * PAGE_BYTES }),
  ),
  { minLength: 1, maxLength: 6 },
)

interface Entry {
  readonly from: number
  readonly bytes: Buffer
}

function filled(sizes: readonly number[]): { paged: PagedBytes; entries: Entry[] } {
  const paged = new PagedBytes()
  const entries = sizes.map((length, i): Entry => {
    const from = paged.length
    const bytes = Buffer.alloc(length, `${i} of ${length}, `)
    paged.append(bytes)
    return { from, bytes }
  })
  return { paged, entries }
}

/** Can each entry be read in the page of each of these places, from there to its end? */
function expectReadable(paged: PagedBytes, { from, bytes }: Entry): void {
  const inPages = Array.from(
    { length: 4 },
    (_, page) => (page + 1) * PAGE_BYTES - (from & PLACE_MASK),
  )
  for (const at of [0, bytes.length - 1, bytes.length >> 1, ...inPages]) {
    if (at >= bytes.length) continue
    const place = (from + at) & PLACE_MASK
    const read = paged.page(from + at).subarray(place, place + bytes.length - at)
    expect(read.equals(bytes.subarray(at)), `from byte ${at} of an entry at ${from}`).toBe(true)
  }
}

test('each entry is read to its end in the page of any of its places, also after one was blanked', () => {
  fc.assert(
    fc.property(lengths, fc.nat(), (sizes, chosen) => {
      const { paged, entries } = filled(sizes)
      const blanked = entries[chosen % entries.length]
      paged.fill(0xff, blanked.from, blanked.from + blanked.bytes.length)
      blanked.bytes.fill(0xff)
      for (const entry of entries) expectReadable(paged, entry)
      const whole = Buffer.concat(entries.map(({ bytes }) => bytes))
      expect(paged.length).toBe(whole.length)
      expect(Buffer.concat(paged.views()).equals(whole)).toBe(true)
      expect(paged.untouchedBytes).toBeGreaterThanOrEqual(0)
      expect(paged.bytes - paged.untouchedBytes).toBeGreaterThanOrEqual(whole.length)
    }),
    { numRuns: 30, endOnFailure: true },
  )
})

test('what was written out page by page and read back is the same, and takes further entries', () => {
  fc.assert(
    fc.property(lengths, (sizes) => {
      const { paged, entries } = filled(sizes)
      const loaded = new PagedBytes()
      loaded.reset(paged.length)
      const saved = paged.views()
      loaded.views().forEach((view, i) => {
        view.set(saved[i])
      })
      for (const { from, bytes } of entries) loaded.join(from, from + bytes.length)
      const more = { from: loaded.length, bytes: Buffer.alloc(5_000, 'more') }
      loaded.append(more.bytes)
      for (const entry of [...entries, more]) expectReadable(loaded, entry)
    }),
    { numRuns: 30, endOnFailure: true },
  )
})

test('a list grows without a copy, has what was set, and 0 elsewhere', () => {
  const list = new U32List()
  const places = [0, 5, 4_095, 4_096, 1_000_000]
  for (const place of places) list.set(place, place + 1)
  expect(list.length).toBe(1_000_001)
  for (const place of places) expect(list.get(place)).toBe(place + 1)
  for (const place of [1, 4_097, 999_999, 1_000_001, 2 ** 32]) expect(list.get(place)).toBe(0)
  list.push(7)
  expect(list.get(1_000_001)).toBe(7)
  const loaded = new U32List()
  loaded.reset(list.length)
  const saved = list.views()
  loaded.views().forEach((view, i) => {
    view.set(saved[i])
  })
  for (const place of places) expect(loaded.get(place)).toBe(place + 1)
  const touched = (bytes: number) => bytes - list.untouchedBytes
  expect(touched(list.bytes)).toBe(list.length * 4)
})
