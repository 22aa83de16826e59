import { afterAll, expect, test } from 'vitest'
import { byLength } from '../lengths.ts'
import { Random } from '../oracle/random.ts'
import { writtenChunk, wrongWithChunk } from './damage/chunk-images.ts'
import { type Check, damageEveryWay, damageFooter } from './damage/damages.ts'
import { JournalImages } from './damage/journal-check.ts'
import { type Syncing, type WrittenSegment, writtenRun } from './damage/journal-run.ts'
import { writtenSnapshot, wrongWithSnapshot } from './damage/snapshot-images.ts'
import { Tally } from './damage/tally.ts'

/** Images a run makes at least; fewer where the machine is slow, more to look further. */
const IMAGES = Number(process.env.DAMAGE_IMAGES ?? byLength(100_000, 1_000_000))
/** Shares of them. */
const SHARES = { segment: 0.36, segments: 0.3, snapshot: 0.17, chunk: 0.17 }
const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_121)
const PATIENCE_MS = 600_000

const SYNCINGS: readonly Syncing[] = ['all', 'none', 'some']
const made: number[] = []

/** Damages one victim after the other until there are as many images as a share asks for. */
function inVictims(
  of: string,
  share: number,
  damage: (
    seed: number,
    random: Random,
    check: (damage: string, wrong: string | null) => void,
  ) => void,
): void {
  const tally = new Tally()
  for (let round = 0; tally.total < IMAGES * share; round += 1) {
    const seed = SEED + round
    damage(seed, new Random(seed), (kind, wrong) => {
      tally.add(kind)
      if (wrong !== null)
        throw new Error(`${of}, PROPERTY_SEED=${seed}, ${kind}, image ${tally.total}: ${wrong}`)
    })
  }
  made.push(tally.total)
  console.log(tally.text(of))
}

/** Frame starts of a segment and the end of the last. */
function unitsOf({ header, frames }: WrittenSegment): number[] {
  const units = [header.length]
  for (const { bytes } of frames) units.push((units.at(-1) ?? 0) + bytes.length)
  return units
}

function expectBoth(verdicts: ReadonlyMap<string, number>): void {
  for (const verdict of ['cut', 'damaged'])
    expect(verdicts.get(verdict) ?? 0, verdict).toBeGreaterThan(IMAGES / 1_000)
}

/** Adds what a round found to what all found. */
function merge(all: Map<string, number>, more: ReadonlyMap<string, number>): void {
  for (const [verdict, count] of more) all.set(verdict, (all.get(verdict) ?? 0) + count)
}

test('a damaged segment gives the frames before the damage and the right verdict', {
  timeout: PATIENCE_MS,
}, () => {
  const verdicts = new Map<string, number>()
  inVictims('one segment', SHARES.segment, (seed, random, tell) => {
    const shape = {
      segments: 1,
      framesMin: 4,
      framesMax: 14,
      payloadMax: 160,
      syncing: SYNCINGS[seed % SYNCINGS.length],
      firstSeq: random.pick([0, 0, 70]),
    }
    const own = writtenRun(random, shape)
    const runs = [own, writtenRun(random, { ...shape, syncing: 'some' })]
    // One that begins later, so that a head of it leaves a gap.
    runs.push(writtenRun(random, { ...shape, firstSeq: shape.firstSeq + 40 }))
    const images = new JournalImages(runs, shape.firstSeq + random.pick([0, 0, 3]))
    const [segment] = own
    const others = runs.slice(1).map(([other]) => other.bytes)
    const check: Check = (damage, bytes) =>
      tell(damage, images.wrongWith([{ number: segment.number, bytes }]))
    check('undamaged', segment.bytes)
    damageEveryWay({ bytes: segment.bytes, units: unitsOf(segment), others }, random, check)
    merge(verdicts, images.verdicts)
  })
  console.log('one segment, verdicts:', Object.fromEntries(verdicts))
  expectBoth(verdicts)
})

test('a journal of several segments with damage in any of them is told in the same way', {
  timeout: PATIENCE_MS,
}, () => {
  const verdicts = new Map<string, number>()
  inVictims('several segments', SHARES.segments, (seed, random, tell) => {
    const shape = {
      segments: 3,
      framesMin: 2,
      framesMax: 6,
      payloadMax: 120,
      syncing: SYNCINGS[seed % SYNCINGS.length],
      firstSeq: 0,
    }
    const own = writtenRun(random, shape)
    const foreign = writtenRun(random, shape)
    const fromSeq = random.pick([0, own[1].firstSeq, own[2].firstSeq, own[1].firstSeq + 2])
    const images = new JournalImages([own, foreign], fromSeq)
    const whole = own.map(({ number, bytes }) => ({ number, bytes }))
    tell('undamaged', images.wrongWith(whole))
    own.forEach((segment, i) => {
      const check: Check = (damage, bytes) =>
        tell(damage, images.wrongWith(whole.with(i, { number: segment.number, bytes })))
      const others = [...own.filter((other) => other !== segment), foreign[i]]
      const victim = { units: unitsOf(segment), others: others.map(({ bytes }) => bytes) }
      damageEveryWay({ ...victim, bytes: segment.bytes }, random, check)
      for (const other of others) check('file of another', other.bytes)
      // Cut exactly behind a frame: nothing in the file itself is wrong.
      for (const end of victim.units) check('cut behind a frame', segment.bytes.subarray(0, end))
    })
    merge(verdicts, images.verdicts)
  })
  console.log('several segments, verdicts:', Object.fromEntries(verdicts))
  expectBoth(verdicts)
})

test('a damaged snapshot is refused, and what is loaded is what was written', {
  timeout: PATIENCE_MS,
}, () => {
  inVictims('snapshot', SHARES.snapshot, (_, random, tell) => {
    const written = [writtenSnapshot(random), writtenSnapshot(random)]
    const [{ bytes, units }] = written
    const check: Check = (damage, image) => tell(damage, wrongWithSnapshot(image, written))
    check('undamaged', bytes)
    damageEveryWay({ bytes, units, others: [written[1].bytes] }, random, check)
    damageFooter(bytes, random, check)
  })
})

test('a block of a damaged tape chunk is what was written or it is refused', {
  timeout: PATIENCE_MS,
}, () => {
  inVictims('tape chunk', SHARES.chunk, (_, random, tell) => {
    const written = [3, 3, 4].map((chunk) => writtenChunk(random, chunk))
    const [{ bytes, units }] = written
    const check: Check = (damage, image) => tell(damage, wrongWithChunk(image, written))
    check('undamaged', bytes)
    const others = written.slice(1).map((other) => other.bytes)
    damageEveryWay({ bytes, units, others }, random, check)
    for (const other of others) check('file of another', other)
  })
})

test('there are as many images as were asked for', () => {
  expect(made).toHaveLength(4)
  expect(made.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(IMAGES)
})

afterAll(() => {
  console.log(`damaged images in all: ${made.reduce((sum, count) => sum + count, 0)}`)
})
