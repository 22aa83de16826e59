import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { EncodedBody } from './encoded-body.ts'
import { MAX_DASHBOARD_BYTES, MAX_DASHBOARD_FILES } from './limits.ts'

/** One file of the built page. */
export interface DashboardFile {
  /** Path it is served at, `/assets/<name>-<hash>.js`. */
  readonly path: string
  readonly contentType: string
  readonly body: EncodedBody
}

/** The built page in memory, read once at the start. */
export interface Dashboard {
  /** `index.html`: every address of the page. */
  readonly page: DashboardFile
  /** Files with a hash in their name: what they hold never changes. */
  readonly assets: readonly DashboardFile[]
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * Reads the page that the build left in `folder` with its `.br` and `.gz` forms beside the files.
 * @returns null when it is not built
 * @throws Error with one sentence when the folder is larger than a page can be
 */
export function readDashboard(folder: string): Dashboard | null {
  if (!existsSync(join(folder, 'index.html'))) return null
  const names = readdirSync(join(folder, 'assets')).filter((name) => extname(name) in CONTENT_TYPES)
  checkSize(folder, names)
  return {
    page: readOne(folder, 'index.html'),
    assets: names.map((name) => readOne(folder, `assets/${name}`)),
  }
}

function checkSize(folder: string, names: readonly string[]): void {
  const bytes = names.reduce((sum, name) => sum + statSync(join(folder, 'assets', name)).size, 0)
  if (names.length > MAX_DASHBOARD_FILES || bytes > MAX_DASHBOARD_BYTES)
    throw new Error(
      `The page in ${folder} has ${names.length} files of ${bytes} bytes, more than a page can have; ` +
        'remove the folder and build it anew.',
    )
}

function readOne(folder: string, name: string): DashboardFile {
  const bytes = readFileSync(join(folder, name))
  const etag = `W/"${hash('sha1', bytes, 'base64url')}"`
  const forms = { br: prepared(folder, `${name}.br`), gzip: prepared(folder, `${name}.gz`) }
  return {
    path: `/${name}`,
    contentType: CONTENT_TYPES[extname(name)],
    body: { bytes, length: bytes.length, etag: () => etag, compressed: (coding) => forms[coding] },
  }
}

function prepared(folder: string, name: string): Buffer | null {
  const path = join(folder, name)
  return existsSync(path) ? readFileSync(path) : null
}
