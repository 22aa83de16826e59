import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../tidy/source-files.ts'

/** Languages of blocks that may be commands: most name none. */
const SHELLS = ['', 'sh', 'bash']
/** What stands at the beginning of a line that is a command. */
const COMMAND = /^([A-Z_]+=\S+ |[A-Z_]+=\$\(|… )*(make|npm|npx|curl|node|docker)\b/

/** Commands of the fenced blocks of a document, as printed: continued lines together, remarks left out. */
export function fencedCommands(document: string): string[] {
  return fences(document).flatMap((fence) =>
    fence
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .map((line) => line.replace(/\s+# .*$/, ''))
      .filter((line) => COMMAND.test(line)),
  )
}

/** What the `json` block of a document shows. */
export function fencedJson(document: string): unknown {
  const [, text = ''] = /^```json\n([\s\S]*?)\n```$/m.exec(document) ?? []
  return JSON.parse(text)
}

/** Lines of a fenced block that a person types at a prompt. */
export function typedLines(document: string): string[] {
  return fences(document).flatMap((fence) =>
    fence.split('\n').flatMap((line) => /^> (.*)$/.exec(line)?.[1] ?? []),
  )
}

/** Commands of the table below a heading, one in the first cell of each row. */
export function tableCommands(document: string, heading: string): string[] {
  const [, section = ''] = document.split(`\n## ${heading}\n`)
  const rows = section.split('\n## ')[0].matchAll(/^\| `([^`]+)` \|/gm)
  return [...rows].map(([, command]) => command).filter((command) => COMMAND.test(command))
}

/** Every `make …` of a document, wherever it stands, without settings before it and redirections behind it. */
export function makeCommands(document: string): string[] {
  const all = document.matchAll(/`(?:[A-Z_]+=\S+ )*(make [^`<]+)`/g)
  return [...new Set([...all].map(([, command]) => command.trim()))]
}

export function documentText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

function fences(document: string): string[] {
  const all = document.matchAll(/^```(\w*)\n([\s\S]*?)\n```$/gm)
  return [...all].filter(([, language]) => SHELLS.includes(language)).map(([, , text]) => text)
}
