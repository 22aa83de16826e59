import { COLUMNS, isNumeric } from './result-table.ts'

/** One row of the goals as the document shows it. */
export interface Section {
  /** `S1`. */
  readonly name: string
  /** What it is about, in a few words. */
  readonly title: string
  /** By the columns of the table. */
  readonly cells: readonly (readonly string[])[]
  /** Where and when it was measured. */
  readonly conditions: string
}

const NAME = COLUMNS.indexOf('')
const WHAT = COLUMNS.indexOf('what')
const NOTE = COLUMNS.indexOf('what saturated')
/** The name is the heading, and notes stand below the table, which would be too wide to read with them. */
const SHOWN = COLUMNS.map((_, column) => column).filter(
  (column) => column !== NAME && column !== NOTE,
)

const NOTED = 'What saturated (ours | peer), or why there is no figure'

const HEAD = `# Benchmark: the newest result of each row

Written by \`make bench-charts\` out of what \`make bench\` measured; do not edit. What the rows measure, how, and
what they do not show: [bench/README.md](../bench/README.md). Rows marked late have no figures: their driver was late.
`

/** The text of docs/benchmark.md; `charts` are names of files in docs/charts. */
export function benchmarkDocument(charts: readonly string[], sections: readonly Section[]): string {
  const pictures = charts.map((name) => `![${name.replace('.svg', '')}](charts/${name})\n`)
  return [HEAD, ...pictures, ...sections.map(sectionText)].join('\n')
}

function sectionText({ name, title, cells, conditions }: Section): string {
  return [
    `## ${name}: ${title}`,
    '',
    tableRow(SHOWN.map((column) => COLUMNS[column])),
    `|${SHOWN.map((column) => (isNumeric(column) ? '---:' : '---')).join('|')}|`,
    ...cells.map((row) => tableRow(SHOWN.map((column) => row[column]))),
    '',
    ...notes(cells),
    `Measured: ${conditions}.`,
    '',
  ].join('\n')
}

/** What saturated, ours | peer, or why there is no figure: once where it is the same for all lines. */
function notes(cells: readonly (readonly string[])[]): readonly string[] {
  const noted = cells.filter((row) => row[NOTE] !== '')
  if (noted.length === 0) return []
  const [first] = noted
  if (noted.every((row) => row[NOTE] === first[NOTE])) return [`${NOTED}: ${first[NOTE]}.`, '']
  return [`${NOTED}:`, '', ...noted.map((row) => `- ${row[WHAT]}: ${row[NOTE]}`), '']
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
