import { expect, test } from 'vitest'
import { sourceFiles } from './source-files.ts'
import { cyclesOf } from './structure.ts'

/** One file is one idea; an idea that needs more lines is two. */
const FILE_LINES_MAX = 460
/** More than when a swap passed 80 files: fewer and longer ones are fewer to open (decision 38). */
const FILE_LINES_MEDIAN_MAX = 200
const PAGE_LINES_MAX = 300

const source = sourceFiles('src')

test('every file is short enough to be one idea', () => {
  const lengths = source.map((file) => file.text.split('\n').length).sort((a, b) => a - b)
  const long = source.filter((file) => file.text.split('\n').length > FILE_LINES_MAX)
  expect(long.map((file) => file.path)).toEqual([])
  expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(FILE_LINES_MEDIAN_MAX)
})

test('nothing is called utils, helpers or common, nothing is a barrel, nothing is left to do', () => {
  const wrong = source.filter(
    ({ path, text }) =>
      /(^|\/)(utils?|helpers?|common|index)\.ts$/.test(path) ||
      /\b(TODO|FIXME|XXX|HACK)\b/.test(text) ||
      /^export \* from/m.test(text),
  )
  expect(wrong.map((file) => file.path)).toEqual([])
})

test('comments name files of code that are there', () => {
  const folders = ['src', 'test', 'bench', 'packaging', 'client/src', 'web']
  const files = folders.flatMap((folder) => sourceFiles(folder))
  const paths = files.map(({ path }) => `/${path}`)
  const wrong = files.flatMap(({ path, text }) =>
    [...text.matchAll(/^ *(?:\*|\/\*\*|\/\/) .*$/gm)].flatMap(([comment]) =>
      [...comment.matchAll(/(?<![\w/.-])[\w-][\w./-]*\.tsx?\b/g)]
        .filter(([name]) => !paths.some((there) => there.endsWith(`/${name}`)))
        .map(([name]) => `${path} names ${name}`),
    ),
  )
  expect(wrong).toEqual([])
})

test('engine and events read no clock, no randomness, no file and no socket', () => {
  const forbidden =
    /Date\.now|Math\.random|performance\.|from 'node:|process\.|setTimeout|setInterval/
  const wrong = source.filter(
    ({ path, text }) => /^src\/(engine|events)\//.test(path) && forbidden.test(text),
  )
  expect(wrong.map((file) => file.path)).toEqual([])
})

test('the page is built on the client alone, in short files without cycles', () => {
  const page = sourceFiles('web/src')
  const foreign = page.flatMap((file) =>
    file.imports
      .filter((target) => !target.startsWith('web/src/') && target !== 'client/src/mintfeed.ts')
      .map((target) => `${file.path} imports ${target}`),
  )
  expect(foreign).toEqual([])
  expect(cyclesOf(new Map(page.map(({ path, imports }) => [path, imports])))).toEqual([])
  expect(page.filter(({ text }) => text.split('\n').length > PAGE_LINES_MAX)).toEqual([])
})
