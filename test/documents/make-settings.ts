/** Writes docs/settings.md anew. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingsMarkdown } from '../../src/config/setting-texts.ts'
import { ROOT } from '../tidy/source-files.ts'

writeFileSync(join(ROOT, 'docs/settings.md'), settingsMarkdown())
