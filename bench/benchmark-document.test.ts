import { expect, test } from 'vitest'
import { benchmarkDocument } from './benchmark-document.ts'

const line = (what: string, note: string) => [
  ...['S1', what, '1', '2', '0.5', '3 %', 'answers/s', '≥ 0.95 ×', 'not met', note],
]

test('the document has each row under its heading, and notes below the table', () => {
  const conditions = 'commit 1'
  const text = benchmarkDocument(
    ['goals.svg'],
    [
      { name: 'S1', title: 'tables', cells: [line('a | b', 'x'), line('c', 'y')], conditions },
      { name: 'S2', title: 'filters', cells: [line('d', 'z'), line('e', 'z')], conditions },
    ],
  )
  expect(text).toContain('![goals](charts/goals.svg)\n')
  expect(text).toContain('| a \\| b | 1 | 2 | 0.5 | 3 % | answers/s | ≥ 0.95 × | not met |\n')
  expect(text).toContain('- a | b: x\n- c: y\n')
  expect(text).toContain(
    '## S2: filters\n\n| what | ours | peer | ratio | spread | unit | goal | verdict |\n',
  )
  expect(text).toMatch(/figure: z\.\n\nMeasured: commit 1\.\n$/)
})
