import { expect, test } from 'vitest'
import { PackedTexts } from '../../../src/engine/memory/packed-texts.ts'
import { StateError } from '../../../src/engine/memory/state-part.ts'
import { TEXT_BYTES_MAX } from '../../../src/engine/memory/text-store.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { byLength } from '../../lengths.ts'
import { Random } from '../../oracle/random.ts'
import { tokenText } from './token-texts.ts'

const SEEDS = byLength(1, 4)
const FIRST_SEED = 20_261_130
const TEXTS = 60_000
/** Lots of texts, so that several chunks fill. */
const CHUNK_UNITS = 1 << 19

const digestOf = (texts: PackedTexts) => stateDigest([texts.part('texts')])

/** The same texts in a store that had others. */
function loaded(texts: PackedTexts): PackedTexts {
  const again = new PackedTexts()
  for (let i = 0; i < 10; i++) again.get(again.replace(0, `others ${i}`))
  const [from, into] = [texts.part('texts'), again.part('texts')]
  const views = into.open(from.facts())
  for (const [i, view] of from.views().entries()) views[i].set(view)
  into.settle()
  return again
}

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
  test(`texts are what was put, through chunks, replacements and snapshots (seed ${seed})`, () => {
    const random = new Random(seed)
    const known = new Map<number, string>([[0, '']])
    const references = [0]
    let texts = new PackedTexts()
    const twin = new PackedTexts()
    for (let i = 0; i < TEXTS; i++) {
      if (i % 20_000 === 11_111) texts = loaded(texts)
      const before = random.chance(0.2) ? references[random.integer(0, references.length - 1)] : 0
      const isSame = random.chance(0.3)
      const text = isSame ? (known.get(before) ?? '') : tokenText(random)
      const reference = texts.replace(before, text)
      // Reads in between change nothing, and a store that was never loaded says the same.
      if (random.chance(0.1)) texts.get(references[random.integer(0, references.length - 1)])
      if (twin.replace(before, text) !== reference) expect.fail(`text ${i} has another reference`)
      if (isSame && reference !== before) expect.fail(`text ${i} is not kept in its place`)
      if ((known.get(reference) ?? text) !== text) expect.fail(`text ${i} has that of another`)
      known.set(reference, text)
      references.push(reference)
    }
    expect(texts.part('texts').facts()[0]).toBeGreaterThan(2 * CHUNK_UNITS)
    expect(digestOf(texts)).toBe(digestOf(twin))
    const again = loaded(texts)
    for (const [reference, text] of known)
      for (const store of [texts, again])
        if (store.get(reference) !== text) expect(store.get(reference)).toBe(text)
  })

/** Fills so many chunks with texts that come once. */
function fill(texts: PackedTexts, random: Random, chunks: number): void {
  const most = texts.part('').facts()[0] + chunks * CHUNK_UNITS
  while (texts.part('').facts()[0] < most) texts.putBytes(randomBytes(random, 2_000))
}

function randomBytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.integer(128, 255)))
}

test('a text that comes again is kept once, until its chunk is no more among the last two', () => {
  for (const isLoaded of [false, true]) {
    const random = new Random(FIRST_SEED)
    let texts = new PackedTexts()
    const next = () => texts.part('texts').facts()[0]
    const reference = texts.replace(0, 'the same image')
    fill(texts, random, 1)
    if (isLoaded) texts = loaded(texts)
    const before = next()
    expect(texts.replace(0, 'the same image')).toBe(reference)
    expect(next()).toBe(before)
    fill(texts, random, 1)
    if (isLoaded) texts = loaded(texts)
    const anew = texts.replace(0, 'the same image')
    expect(anew).toBeGreaterThan(before)
    expect(texts.replace(0, 'the same image')).toBe(anew)
    expect(texts.replace(reference, 'the same image')).toBe(reference)
    expect([texts.get(reference), texts.get(anew)]).toEqual(['the same image', 'the same image'])
  }
})

test('a text is cut behind its longest, and one that finds no room is none', () => {
  const long = new PackedTexts()
  for (const text of ['x'.repeat(TEXT_BYTES_MAX), `x${'é'.repeat(TEXT_BYTES_MAX / 2)}`]) {
    const cut = Buffer.from(text).subarray(0, TEXT_BYTES_MAX)
    expect(long.get(long.replace(0, text))).toBe(new TextDecoder().decode(cut))
  }
  const texts = new PackedTexts(2 * CHUNK_UNITS)
  const random = new Random(FIRST_SEED)
  const known = new Map<number, Buffer>()
  for (let i = 0; i < 2_500; i++) {
    const bytes = Buffer.from(randomBytes(random, 1_000).toString('latin1'))
    const reference = texts.putBytes(bytes)
    if (reference !== 0) known.set(reference, bytes)
    else expect(known.size).toBeGreaterThan(1_000)
  }
  expect(known.size).toBeLessThan(2_500)
  const last = texts.part('texts').facts()[0]
  expect(last).toBeLessThanOrEqual(2 * CHUNK_UNITS)
  for (const [reference, bytes] of known) expect(texts.get(reference)).toBe(bytes.toString())
})

test('damaged texts are refused or read as some text, and nothing is read outside', () => {
  const random = new Random(FIRST_SEED)
  let refused = 0
  for (let i = 0; i < byLength(40, 150); i++) {
    const texts = new PackedTexts()
    const part = texts.part('texts')
    const [view] = part.open([random.integer(2, 3_000)])
    const kind = random.unit()
    for (let at = 2; at < view.length; at++)
      view[at] = kind < 0.3 ? 255 : random.integer(0, kind < 0.6 ? 255 : 12)
    try {
      part.settle()
    } catch (error) {
      if (!(error instanceof StateError)) throw error
      refused += 1
    }
    for (const reference of [1, 2, 3, 500, view.length >> 1, 2 ** 20, 2 ** 32 - 1])
      expect(texts.get(reference).length).toBeLessThanOrEqual(TEXT_BYTES_MAX + 4)
    for (let put = 0; put < 100; put++)
      texts.replace(random.integer(0, 2 ** 32 - 1), tokenText(random))
  }
  expect(refused).toBeGreaterThan(0)
})
