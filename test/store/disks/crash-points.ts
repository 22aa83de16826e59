import { expect, test } from 'vitest'
import type { Config } from '../../../src/config/config.ts'
import { byLength } from '../../lengths.ts'
import { Random } from '../../oracle/random.ts'
import { Images } from './images.ts'
import { Story } from './story.ts'
import { Timeline } from './timeline.ts'

/** How a journal is kept. */
export interface JournalKind {
  readonly fsync: Config['fsync']
  readonly clock: 'event' | 'wall'
  /** Length of its ring; none when left out. */
  readonly ringBytes?: number
  /** Share of the images that others are looked at by: those of a ring are all different. */
  readonly share?: number
}

/** Crash images of five kinds; CRASH_IMAGES=<n> looks at more. */
const IMAGES = Number(process.env.CRASH_IMAGES ?? byLength(1_000, 20_000))
const IMAGES_OF_KIND = IMAGES / 5
/** Where the seeds of the stories begin. */
const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_121)

const EVENTS = byLength(60, 260)
const PATIENCE_MS = 300_000 + IMAGES * 10

/** A test for each kind: services through power failures and kills at every call of their disks. */
export function testCrashPoints(kinds: readonly JournalKind[]): void {
  for (const [i, kind] of kinds.entries())
    test(
      `a crash at any operation of the disk leaves a state that was, ${textOf(kind)}`,
      {
        timeout: PATIENCE_MS,
      },
      () => lookAt(kind, i, kinds.length),
    )
}

function lookAt(kind: JournalKind, first: number, step: number): void {
  const { fsync, clock, ringBytes = null, share = 1 } = kind
  const enough = IMAGES_OF_KIND * share
  const found = { images: 0, recoveries: 0, wentOn: 0 }
  for (let seed = SEED + first; found.images < enough; seed += step) {
    const story = new Story(seed, EVENTS, fsync, clock, ringBytes)
    const images = new Images(story)
    const random = new Random(seed)
    const timeline = new Timeline({ story, random, images, imagesEach: 2, goesOnEvery: 150 })
    try {
      timeline.run(story.count)
    } catch (error) {
      throw new Error(`PROPERTY_SEED=${seed - first}`, { cause: error })
    }
    expect(timeline.end(), `PROPERTY_SEED=${seed - first}`).toBe(story.end)
    found.images += images.count
    found.recoveries += images.recoveries
    found.wentOn += timeline.wentOn
  }
  console.info(`${textOf(kind)}: ${JSON.stringify(found)}`)
  expect(found.images).toBeGreaterThanOrEqual(enough)
}

function textOf({ fsync, clock, ringBytes }: JournalKind): string {
  const ring = ringBytes === undefined ? '' : `, ring of ${ringBytes} bytes`
  return `fsync ${fsync}, ${clock} clock${ring}`
}
