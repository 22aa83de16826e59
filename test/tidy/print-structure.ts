/**
 * Prints how the source is built (`npm run structure`); `--imports` adds every import that no arrow
 * allows, `--passed` the files that a swap and a table query pass, `--json` prints the figures for programs.
 * test/tidy holds them.
 */
import { FOLDER_FILES_MAX } from './rooms.ts'
import { sourceFiles } from './source-files.ts'
import { forbiddenImports, structure } from './structure.ts'

const files = sourceFiles('src')
const found = structure(files)
if (process.argv.includes('--json')) {
  console.log(JSON.stringify(found, null, 2))
} else {
  const forbidden = Object.values(found.forbidden).reduce((sum, count) => sum + count, 0)
  const rows: readonly (readonly [string, string | number])[] = [
    ['files of src', found.files],
    ['lines of src', found.lines],
    ['exported names', found.exportedNames],
    ['classes, interfaces, type aliases', found.types],
    [
      `biggest folder (at most ${FOLDER_FILES_MAX})`,
      `${found.biggestFolderFiles}  ${found.biggestFolder}`,
    ],
    ['cycles of files', found.fileCycles.length],
    ['cycles of folders', found.folderCycles.length],
    ['imports against the arrows', forbidden],
  ]
  for (const [name, value] of rows) console.log(`${name.padEnd(36)} ${value}`)
  for (const cycle of [...found.fileCycles, ...found.folderCycles]) console.log(`  cycle: ${cycle}`)
  for (const [arrow, count] of Object.entries(found.forbidden)) console.log(`  ${arrow}: ${count}`)
  if (process.argv.includes('--imports'))
    for (const line of forbiddenImports(files)) console.log(line)
}
if (process.argv.includes('--passed')) {
  const { passedFiles } = await import('./passed-files.ts')
  const { swap, table } = await passedFiles()
  console.log(`a swap passes ${swap.length} files:\n  ${swap.join('\n  ')}`)
  console.log(`a table query passes ${table.length} files:\n  ${table.join('\n  ')}`)
}
