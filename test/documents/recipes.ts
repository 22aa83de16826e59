import type { Duck } from '../parquet/duck.ts'

/** A query of docs/recipes.md, with the answer that is printed below it; "": none is. */
const QUERY = /^```sql\n([^`]+)```\n(?:\n((?:\|.*\n)+))?/gm
/** The folder that the queries name. */
const OUT = "'market/"

/** Queries that answer nothing: they make the views. */
const isSetUp = (sql: string) => sql.startsWith('SET ')

/**
 * The document with the answers that its queries have now, on files in a folder; where it says what they are, it is the
 * document itself.
 */
export async function answeredRecipes(text: string, out: string, duck: Duck): Promise<string> {
  const answers: string[] = []
  for (const [, sql = ''] of text.matchAll(QUERY)) {
    const { names, rows } = await duck.printed(sql.replaceAll(OUT, `'${out}/`))
    answers.push(isSetUp(sql) ? '' : `\n${tableOf(names, rows)}`)
  }
  return text.replaceAll(
    QUERY,
    (_, sql: string) => `\`\`\`sql\n${sql}\`\`\`\n${answers.shift() ?? ''}`,
  )
}

/** Queries that the document has an answer to. */
export function countedRecipes(text: string): number {
  return [...text.matchAll(QUERY)].filter(([, , answer]) => answer !== undefined).length
}

/** Rows as a table of Markdown, numbers to the right. */
function tableOf(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const isNumber = names.map((_, i) => rows.every((row) => /^-?[\d.]+$/.test(row[i] ?? '')))
  const lines = [names, isNumber.map((is) => (is ? '---:' : '---')), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}
