import { expect, test } from 'vitest'
import { type SourceFile, sourceFiles } from './source-files.ts'

/** One file is one idea; an idea that needs more lines is two. */
const FILE_LINES_MAX = 460
const FILE_LINES_MEDIAN_MAX = 130
const PAGE_LINES_MAX = 300

const source = sourceFiles('src')

/** Which rings a ring may import from (docs/ARCHITECTURE.md). */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  base: ['base'],
  config: ['config', 'base'],
  events: ['events', 'base'],
  engine: ['engine', 'events', 'base'],
  protocol: ['protocol', 'engine', 'base'],
  query: ['query', 'protocol', 'engine', 'events', 'base'],
  openapi: ['openapi', 'query', 'protocol', 'engine', 'base'],
  store: ['store', 'engine', 'events', 'config', 'base'],
  server: ['server', 'query', 'protocol', 'engine', 'config', 'base'],
  feeds: ['feeds', 'engine', 'events', 'config', 'base'],
  figures: ['figures', 'engine', 'base'],
  commands: ['commands', 'store', 'feeds', 'engine', 'events', 'config', 'base'],
  cli: ['cli', 'app', 'figures', 'commands', 'feeds', 'server', 'config', 'base'],
}

function ringOf(path: string): string {
  const parts = path.split('/')
  return parts.length > 2 ? parts[1] : 'main'
}

test('imports run one way between the rings', () => {
  const wrong = source.flatMap((file) => {
    const allowed = ALLOWED[ringOf(file.path)]
    if (allowed === undefined) return []
    return file.imports
      .filter((target) => !allowed.includes(ringOf(target)))
      .map((target) => `${file.path} imports ${target}`)
  })
  expect(wrong).toEqual([])
})

test('no file imports itself by any way round, types included', () => {
  expect(cyclesOf(source)).toEqual([])
})

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

test('the engine reads no clock, no randomness, no file and no socket', () => {
  const forbidden =
    /Date\.now|Math\.random|performance\.|from 'node:|process\.|setTimeout|setInterval/
  const wrong = source.filter(({ path, text }) => ringOf(path) === 'engine' && forbidden.test(text))
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
  expect(cyclesOf(page)).toEqual([])
  expect(page.filter(({ text }) => text.split('\n').length > PAGE_LINES_MAX)).toEqual([])
})

/** Every cycle of imports, as paths joined by arrows. */
function cyclesOf(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path)
    if (at >= 0) cycles.push([...way.slice(at), path].join(' → '))
    if (at >= 0 || done.has(path)) return
    for (const target of byPath.get(path)?.imports ?? []) visit(target, [...way, path])
    done.add(path)
  }
  for (const file of files) visit(file.path, [])
  return cycles
}
