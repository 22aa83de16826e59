import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const BUNDLE = join(ROOT, 'dist/main.js')
const SOURCES = join(ROOT, 'src')

/** What to start: the bundle, which starts sooner, unless there is none or the sources are newer. */
export function programPath() {
  const isBundled = existsSync(BUNDLE) && statSync(BUNDLE).mtimeMs >= newestMs(SOURCES)
  return isBundled ? BUNDLE : join(SOURCES, 'main.ts')
}

/** When a file of a folder was changed last; an image has no sources. */
function newestMs(folder) {
  if (!existsSync(folder)) return 0
  const entries = readdirSync(folder, { recursive: true }).map((entry) =>
    statSync(join(folder, entry)),
  )
  return Math.max(0, ...entries.filter((entry) => entry.isFile()).map(({ mtimeMs }) => mtimeMs))
}
