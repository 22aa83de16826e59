import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NodeDisk } from '../../../src/store/disk/node-disk.ts'
import { dataPath } from '../../../src/store/folder/data-folder.ts'
import { markWhole, replaceData } from '../../../src/store/folder/replace-data.ts'
import { newFolder } from '../../new-folder.ts'

const KINDS = ['segment', 'snapshot', 'chunk', 'dormantChunk'] as const

/** A disk on which the process is killed at a call that changes names. */
class KilledDisk extends NodeDisk {
  #left: number

  constructor(calls: number) {
    super()
    this.#left = calls
  }

  override rename(from: string, to: string): void {
    this.#count()
    super.rename(from, to)
  }

  override remove(path: string): void {
    this.#count()
    super.remove(path)
  }

  #count(): void {
    if (this.#left-- <= 0) throw new Error('killed')
  }
}

function folders() {
  const folder = newFolder()
  const by = join(folder, 'history')
  mkdirSync(by)
  for (const kind of KINDS)
    for (const [at, number] of [
      [folder, 1],
      [folder, 2],
      [by, 1],
      [by, 7],
    ] as const)
      writeFileSync(dataPath(at, kind, number), `${at === by ? 'new' : 'old'} ${kind} ${number}`)
  writeFileSync(join(folder, 'written'), 'old')
  writeFileSync(join(by, 'written'), 'new')
  // What says something of the folder itself stays.
  writeFileSync(join(folder, 'market'), 'chain')
  return { folder, by }
}

const contents = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]))

test('killed at any step, the files of the one folder are in place of those of the other in the end', () => {
  const { folder: whole, by } = folders()
  markWhole(new NodeDisk(), by)
  expect(replaceData(new NodeDisk(), whole, by)).toBe(true)
  const expected = contents(whole)
  expect(String(expected.written)).toBe('new')
  expect(Object.keys(expected)).toHaveLength(2 * KINDS.length + 2)
  for (const text of Object.values(expected)) expect(String(text)).not.toContain('old')
  let kills = 0
  for (let calls = 0; ; calls++) {
    const { folder, by } = folders()
    markWhole(new NodeDisk(), by)
    try {
      replaceData(new KilledDisk(calls), folder, by)
      break
    } catch {
      kills++
    }
    expect(replaceData(new NodeDisk(), folder, by)).toBe(true)
    expect(contents(folder)).toEqual(expected)
  }
  expect(kills).toBeGreaterThan(4 * KINDS.length)
})

test('a folder that was not marked whole replaces nothing', () => {
  const { folder, by } = folders()
  const before = contents(by)
  expect(replaceData(new NodeDisk(), folder, by)).toBe(false)
  expect(replaceData(new NodeDisk(), folder, join(folder, 'none'))).toBe(false)
  expect(contents(by)).toEqual(before)
  expect(readFileSync(join(folder, 'written'), 'utf8')).toBe('old')
})
