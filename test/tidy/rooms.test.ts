import { basename, dirname } from 'node:path'
import { expect, test } from 'vitest'
import { KNOWN_FOLDER_CYCLES, KNOWN_FORBIDDEN, MOST } from './known-structure.ts'
import { ARROWS, FOLDER_FILES_MAX, roomOf } from './rooms.ts'
import { sourceFiles } from './source-files.ts'
import { cyclesOf, structure } from './structure.ts'

/** Tests that go by a method have folders of their own, whatever part they look at. */
const OF_A_METHOD =
  /^test\/(attacks|browser|client|conformance|crash|documents|fuzz|model|mutants|oracle|process|recorded|simulation|simulator|soak|web)\//

const source = sourceFiles('src')
const found = structure(source)

test('every folder of src is a room, and every room is a folder', () => {
  const folders = new Set(source.map(({ path }) => roomOf(path)))
  expect([...folders].sort()).toEqual(Object.keys(ARROWS).sort())
})

test('a room may import only from rooms that stand below it', () => {
  const rooms = Object.keys(ARROWS)
  const below = new Map(
    rooms.map((room) => [
      room,
      (ARROWS[room] ?? []).flatMap((arrow) => roomsOf(arrow, rooms, room)),
    ]),
  )
  expect(cyclesOf(below)).toEqual([])
})

test('imports keep to the arrows, but for those that are still to end', () => {
  expect(found.forbidden).toEqual(KNOWN_FORBIDDEN)
})

test('no file imports itself by any way round, types included', () => {
  expect(found.fileCycles).toEqual([])
})

test('no folder imports itself by way of others, but for those that are still to end', () => {
  expect(found.folderCycles).toEqual(KNOWN_FOLDER_CYCLES)
})

test('no folder has more files side by side than one can look over', () => {
  expect(found.biggestFolderFiles, found.biggestFolder).toBeLessThanOrEqual(FOLDER_FILES_MAX)
})

test('the source does not grow in files, lines, exported names or types', () => {
  const { files, lines, exportedNames, types } = found
  const over = Object.entries({ files, lines, exportedNames, types }).filter(
    ([name, count]) => count > (MOST[name] ?? 0),
  )
  expect(over).toEqual([])
})

test('a test that has the name of a part and imports it stands where the part does', () => {
  const misplaced = sourceFiles('test').flatMap(({ path, imports }) => {
    if (!path.endsWith('.test.ts') || OF_A_METHOD.test(path)) return []
    const name = basename(path, '.test.ts')
    const parts = imports.filter(
      (target) => target.startsWith('src/') && basename(target, '.ts') === name,
    )
    const place = `${dirname(parts[0] ?? '').replace(/^src/, 'test')}/${basename(path)}`
    return parts.length !== 1 || place === path ? [] : [`${path} → ${place}`]
  })
  expect(misplaced).toEqual([])
})

/** The rooms that an arrow leads to. */
function roomsOf(arrow: string, rooms: readonly string[], from: string): string[] {
  if (arrow.endsWith('.ts')) return [roomOf(`src/${arrow}`)]
  if (!arrow.endsWith('/*')) return [arrow]
  const top = arrow.slice(0, -2)
  return rooms.filter((room) => room !== from && (room === top || room.startsWith(`${top}/`)))
}
