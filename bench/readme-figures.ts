import type { Section } from './benchmark-document.ts'
import { COLUMNS } from './result-table.ts'

/** A figure of README.md: the line of a row that it is taken from, and the words it stands under. */
interface Figure {
  readonly row: string
  /** How the line's text begins: what follows it, such as a size, changes with the market. */
  readonly line: string
  readonly words: string
  /** What the ratio compares with; without it the line has no peer. */
  readonly peer?: string
}

const FIGURES: readonly Figure[] = [
  {
    row: 'S1',
    line: 'POST tables, popular filter, one group',
    words: 'table query asked before, over 100,000 tokens, 1,000 swaps/s coming in',
    peer: 'a bare uWebSockets.js server that sends the same bytes',
  },
  {
    row: 'S2',
    line: '505 filters never seen, median',
    words: 'table query with a filter never asked before, median',
  },
  {
    row: 'S5',
    line: '1000 readers, 1 trade a turn',
    words: 'a trade to 1,000 sockets',
    peer: 'a bare publish of the same bytes',
  },
  {
    row: 'S6',
    line: 'swap in → trade out, with the journal, p50, loop kept awake',
    words: 'a swap in, written to the journal, until its trade is at a reader, median, `SPIN=on`',
    peer: 'the time of a bare relay',
  },
  {
    row: 'S12',
    line: '100000 tokens',
    words: 'start to first answer, 100,000 tokens and 1,000,000 frames of journal',
  },
]

const BEGIN = '<!-- figures: `make bench-charts` writes them -->'
const END = '<!-- end of figures -->'
const [WHAT, OURS, RATIO, UNIT] = (['what', 'ours', 'ratio', 'unit'] as const).map((name) =>
  COLUMNS.indexOf(name),
)

/** The table of README.md's figures, out of the rows that docs/benchmark.md has. */
export function readmeFigures(sections: readonly Section[]): string {
  const rows = FIGURES.map(({ row, line, words, peer }) => {
    const section = sections.find(({ name }) => name === row)
    const cells = section?.cells.find((each) => each[WHAT].startsWith(line))
    if (section === undefined || cells === undefined || cells[OURS] === '')
      return `| ${words} | not measured | |`
    const ratio = peer === undefined ? '' : `${cells[RATIO]} × ${peer}`
    return `| ${words} | ${cells[OURS]} ${cells[UNIT]} | ${ratio} |`
  })
  return ['| what | measured | beside |', '|---|---:|---|', ...rows].join('\n')
}

/** A README with these figures in the place of those that it had. */
export function withFigures(readme: string, figures: string): string {
  const [before, rest] = readme.split(`${BEGIN}\n`)
  const [, after] = (rest ?? '').split(`\n${END}`)
  if (after === undefined) throw new Error('README.md has no place for figures')
  return `${before}${BEGIN}\n${figures}\n${END}${after}`
}
