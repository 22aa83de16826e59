import fs from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { TAPE_BLOCK_RECORDS } from '../../src/engine/state/tape.ts'
import { SeedSource } from '../../src/seed/seed-source.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { SWAP_CHUNKS, writeChunk } from '../../src/store/snapshot/tape-chunk.ts'
import { flipByte } from '../data-files.ts'
import { GivenFolder } from './given-folder.ts'

const SNAPSHOT = 'snapshot-0000000000000007.mfs'

function source() {
  const given = new GivenFolder()
  given.snapshot(7)
  const tape = { chunkCrcs: [1] }
  const seeds = new SeedSource({
    ...{
      folder: given.path,
      epoch: given.epoch,
      newestSeq: () => given.newestSeq,
      tape,
      dormantTape: tape,
    },
  })
  return { given, seeds }
}

test('it lists the snapshots that were proven, with the chunks of each', () => {
  const { given, seeds } = source()
  given.snapshot(9)
  // One that the compactor has written and not read back yet.
  given.snapshot(11)
  given.newestSeq = 9
  const { market, epoch, snapshots } = seeds.list()
  expect(epoch).toBe(given.epoch)
  expect([market, ...snapshots.map(({ seq }) => seq)]).toEqual(['simulated', 7, 9])
  expect(snapshots[0]).toMatchObject({
    ...{ name: SNAPSHOT, bytes: given.bytesOf(SNAPSHOT), epoch: 'of-the-giver' },
    chunks: { swaps: [expect.any(Number)], positions: [expect.any(Number)] },
  })
  flipByte(join(given.path, SNAPSHOT), given.bytesOf(SNAPSHOT) - 3)
  expect(seeds.list().snapshots.map(({ seq }) => seq)).toEqual([9])
})

test('it opens what it lists, and nothing else of its folder or beside it', async () => {
  const { given, seeds } = source()
  given.snapshot(9)
  given.newestSeq = 7
  // One that the compactor has written for a snapshot that is still to come.
  const block = new Uint8Array(TAPE_BLOCK_RECORDS * SWAP_CHUNKS.recordBytes)
  writeChunk(new NodeDisk(), given.path, 1, TAPE_BLOCK_RECORDS, [block], SWAP_CHUNKS)
  const [listed] = seeds.list().snapshots
  const open = await seeds.open(SNAPSHOT)
  expect([open?.bytes, open?.tag]).toEqual([listed?.bytes, listed?.tag])
  await open?.close()
  const chunk = await seeds.open('tape-0000000000000000.mft')
  expect(chunk?.tag).toBe(String(listed?.chunks.swaps[0]))
  await chunk?.close()
  for (const name of [
    ...['lock', 'written', 'market', 'journal.ring', 'journal-0000000000000001.mfj'],
    ...[
      '',
      '.',
      '..',
      '../market',
      '..%2Fmarket',
      `../${SNAPSHOT}`,
      `${SNAPSHOT}/`,
      `./${SNAPSHOT}`,
    ],
    ...['snapshot-0000000000000009.mfs', 'snapshot-0000000000000003.mfs'],
    ...['tape-0000000000000001.mft', 'tape-1.mft', `${SNAPSHOT}.unfinished`, `${SNAPSHOT}\0`],
  ])
    expect(await seeds.open(name), name).toBeNull()
})

test('a file that is open is given to its end when its name goes', async () => {
  const { given, seeds } = source()
  const bytes = fs.readFileSync(join(given.path, SNAPSHOT))
  const open = await seeds.open(SNAPSHOT)
  fs.rmSync(join(given.path, SNAPSHOT))
  if (open === null) throw new Error('it was there')
  const read = await buffer(open.read(1_000, bytes.length - 1))
  expect(read.equals(bytes.subarray(1_000))).toBe(true)
  expect(await seeds.open(SNAPSHOT)).toBeNull()
  expect(seeds.list().snapshots).toEqual([])
})
