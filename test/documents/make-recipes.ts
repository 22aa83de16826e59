/** Writes the answers of docs/recipes.md (`npm run recipes`). */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { duck } from '../parquet/duck.ts'
import { exportedRecording } from '../parquet/recorded-folder.ts'
import { ROOT } from '../tidy/source-files.ts'
import { documentText } from './readme.ts'
import { answeredRecipes } from './recipes.ts'

const path = 'docs/recipes.md'
const out = mkdtempSync(join(tmpdir(), 'mintfeed-recipes-'))
await exportedRecording(out)
writeFileSync(join(ROOT, path), await answeredRecipes(documentText(path), out, duck()))
