import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { carryOut, planRepair } from '../../src/commands/repair.ts'
import { StoreError } from '../../src/store/disk/failure.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { filesOf } from '../data-files.ts'
import { byLength } from '../lengths.ts'
import { newFolder } from '../new-folder.ts'
import { Random } from '../oracle/random.ts'
import { filledFolder, Run } from './folders.ts'

const OPTIONS = { batch: 10, chunkRecords: 128, segmentBytes: 30_000 }
const SEEDS = byLength(4, 25)
const MOST_DAMAGES = 3
const DATA_FILE = /\.mf[jst]$/

/** What may become of a file on a bad night. */
const DAMAGES: readonly ((path: string, random: Random) => void)[] = [
  (path) => fs.rmSync(path),
  (path) => fs.truncateSync(path, 0),
  (path, random) => fs.truncateSync(path, random.integer(0, fs.statSync(path).size)),
  (path, random) => written(path, random, Buffer.from([0xa5])),
  (path, random) => written(path, random, Buffer.alloc(512)),
]

function written(path: string, random: Random, bytes: Buffer): void {
  const fd = fs.openSync(path, 'r+')
  const at = random.integer(0, Math.max(0, fs.fstatSync(fd).size - bytes.length))
  fs.writeSync(fd, bytes, 0, bytes.length, at)
  fs.closeSync(fd)
}

/** Seq that a start of a copy of the folder comes to; null when it is refused. */
function startedAt(folder: string): number | null {
  const copy = newFolder()
  fs.cpSync(folder, copy, { recursive: true })
  try {
    const { journal, recovered } = new Run(copy, OPTIONS)
    journal.close()
    return recovered.place.seq
  } catch (error) {
    if (error instanceof StoreError) return null
    throw error
  }
}

function planOf(folder: string): ReturnType<typeof planRepair> | null {
  try {
    return planRepair(new NodeDisk(), folder, Number.MAX_SAFE_INTEGER, OPTIONS.chunkRecords)
  } catch (error) {
    if (error instanceof StoreError) return null
    throw error
  }
}

test('whatever was damaged, a repair is followed by a start, and keeps what a start would', () => {
  const { folder: whole } = filledFolder(OPTIONS)
  const outcomes = new Set<string>()
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const folder = join(newFolder(), 'damaged')
    fs.cpSync(whole, folder, { recursive: true })
    const random = new Random(seed)
    for (let left = random.integer(1, MOST_DAMAGES); left > 0; left -= 1) {
      const files = filesOf(folder, '').filter((path) => DATA_FILE.test(path))
      const damage = DAMAGES[random.integer(0, DAMAGES.length - 1)]
      damage(files[random.integer(0, files.length - 1)], random)
    }
    const before = startedAt(folder)
    const plan = planOf(folder)
    outcomes.add(`${before !== null} ${plan === null ? 'refused' : plan.isNothing}`)
    if (plan === null) {
      expect(before, `seed ${seed}: starts, and a repair is refused`).toBeNull()
      continue
    }
    if (!plan.isNothing) carryOut(new NodeDisk(), folder, plan, new Date())
    expect(startedAt(folder), `seed ${seed}: after the repair`).toBe(before ?? plan.place.seq)
  }
  // Starts that need none, those that do, and what nothing helps.
  expect([...outcomes]).toEqual(
    expect.arrayContaining(['true true', 'false false', 'false refused']),
  )
})
