import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../new-folder.ts'
import { startProgram } from '../process/program.ts'
import { ROOT } from '../tidy/source-files.ts'

const TABLE =
  readFileSync(join(ROOT, 'docs/data-folder.md'), 'utf8').split('\n## Commands')[0] ?? ''

/** A file as the table calls it: what is counted in a name is `<n>` or `<seq>`. */
function isListed(name: string): boolean {
  const forms = ['<n>', '<seq>'].map((form) => name.replace(/\d{16}/, form))
  return forms.some((form) => TABLE.includes(`\`${form}\``))
}

test('every file that a run leaves in its data folder is listed in docs/data-folder.md', async () => {
  const folder = newFolder()
  const program = await startProgram({ FEED: 'sim', SIM_TOKENS: '5', DATA_DIR: folder })
  const running = readdirSync(folder)
  await program.end('SIGTERM')
  const names = new Set([...running, ...readdirSync(folder)])
  expect(names.size).toBeGreaterThan(3)
  expect([...names].filter((name) => !isListed(name))).toEqual([])
})
