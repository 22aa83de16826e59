/**
 * The program in a few files of JavaScript, in `dist`: from its sources a start reads a thousand
 * modules and takes the types off each. Run by make before whatever starts the program.
 */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { ASSETS, ENTRIES } from '../src/base/program-files.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Packages stay where npm put them, but for typebox: 683 modules, of which each start reads most. */
const IS_OUTSIDE = /^(?!typebox|[./])/

const entries = Object.entries(ENTRIES).map(([name, file]) => [name, path.join(ROOT, 'src', file)])
const program = await rolldown({
  input: Object.fromEntries(entries),
  platform: 'node',
  external: IS_OUTSIDE,
})
const folder = path.join(ROOT, 'dist')
fs.rmSync(folder, { recursive: true, force: true })
await program.write({ dir: folder, format: 'esm', sourcemap: true })
await program.close()
for (const asset of Object.values(ASSETS)) {
  fs.mkdirSync(path.dirname(path.join(folder, asset)), { recursive: true })
  fs.copyFileSync(path.join(ROOT, 'src', asset), path.join(folder, asset))
}
