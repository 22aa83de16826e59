import { expect, test } from 'vitest'
import type { Section } from '../../bench/benchmark-document.ts'
import { readmeFigures, withFigures } from '../../bench/readme-figures.ts'
import { COLUMNS } from '../../bench/result-table.ts'
import { documentText } from './readme.ts'

/** The rows of docs/benchmark.md, in the form that they were written from. */
function publishedSections(): readonly Section[] {
  const [, ...texts] = documentText('docs/benchmark.md').split('\n## ')
  return texts.map((text) => {
    const [heading = '', ...lines] = text.split('\n')
    const [name = '', title = ''] = heading.split(': ')
    const [head = [], ...rows] = lines.filter((line) => line.startsWith('| ')).map(cellsOf)
    const cells = rows.map((row) => COLUMNS.map((column) => row[head.indexOf(column)] ?? ''))
    return { name, title, cells, conditions: '' }
  })
}

const cellsOf = (line: string) =>
  line
    .slice(2, -2)
    .split(' | ')
    .map((cell) => cell.trim())

test('the figures of README.md are those of docs/benchmark.md', () => {
  const figures = readmeFigures(publishedSections())
  expect(figures).not.toContain('not measured')
  expect(documentText('README.md'), 'make bench-charts').toContain(figures)
})

test('new figures take the place of those that README.md had, and of nothing else', () => {
  const readme = documentText('README.md')
  const changed = withFigures(readme, 'new')
  expect(changed).toContain('-->\nnew\n<!--')
  expect(withFigures(changed, readmeFigures(publishedSections()))).toBe(readme)
  expect(() => withFigures('no place', 'new')).toThrow('README.md has no place for figures')
})
