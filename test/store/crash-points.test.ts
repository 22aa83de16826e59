import { expect, test } from 'vitest'
import type { FsyncPolicy } from '../../src/store/fsync-policy.ts'
import { Random } from '../oracle/random.ts'
import { Images } from './disks/images.ts'
import { Story } from './disks/story.ts'
import { Timeline } from './disks/timeline.ts'

/** Crash images in all; CRASH_IMAGES=<n> looks at more. */
const IMAGES = Number(process.env.CRASH_IMAGES ?? 20_000)
/** Where the seeds of the stories begin. */
const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_121)

const EVENTS = 260
const PATIENCE_MS = 60_000 + IMAGES * 10

const KINDS: readonly [FsyncPolicy, 'event' | 'wall'][] = [
  ['group', 'event'],
  ['group', 'wall'],
  ['always', 'event'],
  ['always', 'wall'],
  ['off', 'event'],
]

for (const [i, [fsync, clock]] of KINDS.entries())
  test(`a crash at any operation of the disk leaves a state that was, fsync ${fsync}, ${clock} clock`, {
    timeout: PATIENCE_MS,
  }, () => {
    const found = { images: 0, recoveries: 0, wentOn: 0 }
    for (let seed = SEED + i; found.images < IMAGES / KINDS.length; seed += KINDS.length) {
      const story = new Story(seed, EVENTS, fsync, clock)
      const images = new Images(story)
      const random = new Random(seed)
      const timeline = new Timeline({ story, random, images, imagesEach: 2, goesOnEvery: 150 })
      try {
        timeline.run(story.count)
      } catch (error) {
        throw new Error(`PROPERTY_SEED=${seed - i}`, { cause: error })
      }
      expect(timeline.end(), `PROPERTY_SEED=${seed - i}`).toBe(story.end)
      found.images += images.count
      found.recoveries += images.recoveries
      found.wentOn += timeline.wentOn
    }
    console.info(`fsync ${fsync}, ${clock} clock: ${JSON.stringify(found)}`)
    expect(found.images).toBeGreaterThanOrEqual(IMAGES / KINDS.length)
  })
