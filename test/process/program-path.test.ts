import { cpSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '../new-folder.ts'
import { ROOT } from '../tidy/source-files.ts'

const BUNDLE = 'dist/main.js'
const MAIN = 'src/main.ts'
const OTHER = 'src/store/other.ts'

let folder = ''
beforeEach(() => {
  folder = newFolder()
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true })
})

test('the bundle is started when it is newer than every source', async () => {
  write(MAIN, 100)
  write(OTHER, 200)
  write(BUNDLE, 201)
  expect(await started()).toBe(BUNDLE)
})

test('sources that changed since are started themselves', async () => {
  write(MAIN, 100)
  write(BUNDLE, 201)
  write(OTHER, 202)
  expect(await started()).toBe(MAIN)
})

test('without a bundle the sources are started, without sources the bundle', async () => {
  write(MAIN, 100)
  expect(await started()).toBe(MAIN)
  rmSync(join(folder, 'src'), { recursive: true })
  write(BUNDLE, 50)
  expect(await started()).toBe(BUNDLE)
})

function write(file: string, changedSeconds: number): void {
  const path = join(folder, file)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, '')
  utimesSync(path, changedSeconds, changedSeconds)
}

/** What bin/mintfeed.js of that folder would start. */
async function started(): Promise<string> {
  const { programPath } = await import(pathToFileURL(join(folder, 'bin/program-path.js')).href)
  return programPath().slice(folder.length + 1)
}
