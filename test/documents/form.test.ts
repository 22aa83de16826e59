import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT, sourceFiles } from '../tidy/source-files.ts'
import { documentText } from './readme.ts'

const markdownIn = (folder: string) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => normalize(join(folder, name)))

const DECISIONS = markdownIn('docs/decisions')
const DOCUMENTS = ['.', 'docs', 'bench', 'client', 'snapshots']
  .flatMap(markdownIn)
  .concat(DECISIONS)

/** Anchors of a document's headings, as GitHub makes them. */
function anchorsOf(path: string): ReadonlySet<string> {
  const headings = documentText(path).matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, heading]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

test.each(DOCUMENTS)('every link of %s leads to a file and a heading that are there', (path) => {
  const links = [...documentText(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target)
  const broken = links
    .filter((target) => !/^https?:/.test(target))
    .filter((target) => {
      const [file = '', anchor] = target.split('#')
      const found = file === '' ? path : normalize(join(dirname(path), file))
      if (!existsSync(join(ROOT, found))) return true
      return anchor !== undefined && !anchorsOf(found).has(anchor)
    })
  expect(broken).toEqual([])
})

test.each(DECISIONS)('%s has status, context, decision and cost', (path) => {
  const text = documentText(path)
  for (const part of ['Context', 'Decision', 'Cost'])
    expect(text, part).toMatch(new RegExp(`^(## ${part}$|\\*\\*${part})`, 'm'))
  expect(text).toMatch(/^(\*\*)?Status/m)
})

test('CHANGELOG.md has the parts of Keep a Changelog, one line for each change', () => {
  const [, ...versions] = documentText('CHANGELOG.md').split(/^## /m)
  expect(versions.length).toBeGreaterThan(1)
  for (const version of versions) {
    const [, ...parts] = version.split(/^### /m)
    for (const part of parts) {
      const [heading, blank, ...lines] = part.trimEnd().split('\n')
      expect(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']).toContain(heading)
      expect([blank, ...lines.filter((line) => !line.startsWith('- '))]).toEqual([''])
    }
  }
})

test('README.md has at most 110 lines, the glossary at most 40 words', () => {
  expect(documentText('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(110)
  const words = documentText('docs/GLOSSARY.md').match(/^- \*\*/gm) ?? []
  expect(words.length).toBeLessThanOrEqual(40)
})

test('paths of the source that ARCHITECTURE.md and the glossary name are there', () => {
  const text = documentText('docs/ARCHITECTURE.md') + documentText('docs/GLOSSARY.md')
  const named = [...text.matchAll(/`((?:src|test|web|client|[a-z]+)\/[\w./-]+)`/g)]
  const paths = [...new Set(named.map(([, path]) => path))]
  expect(paths.length).toBeGreaterThan(20)
  const isThere = (path: string) =>
    existsSync(join(ROOT, path)) || existsSync(join(ROOT, 'src', path))
  expect(paths.filter((path) => !isThere(path))).toEqual([])
})

test('every document that a source, a test or a message names is there', () => {
  const sources = ['src', 'test', 'bench', 'packaging', 'client/src', 'web/src'].flatMap(
    sourceFiles,
  )
  const others = [
    'bin/mintfeed.js',
    'packaging/Dockerfile',
    'docs/monitoring/prometheus-alerts.yml',
  ]
  const texts = [...sources, ...others.map((path) => ({ path, text: documentText(path) }))]
  const named = texts.flatMap(({ path, text }) =>
    [...text.matchAll(/\bdocs\/[\w./-]+\.md\b/g)].map(([document]) => ({ path, document })),
  )
  expect(named.length).toBeGreaterThan(40)
  expect(named.filter(({ document }) => !existsSync(join(ROOT, document)))).toEqual([])
})
