import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { EncodedBody } from './encoded-body.ts'

/** Files of the built page at most; one that has more is not a page of this program. */
const MAX_DASHBOARD_FILES = 64

/** Bytes of those files in all, uncompressed: they stay in memory. */
const MAX_DASHBOARD_BYTES = 4 * 1024 * 1024

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
  /** The page may show pictures of tokens, from whatever server their creators named. */
  readonly hasImages: boolean
}

/** What the page is told of the service, by attributes of its root. */
interface PageFacts {
  /** It may show pictures of tokens. */
  readonly hasImages?: boolean
  /** The market is the simulator's: nothing in it is real, though it looks so. */
  readonly isSimulated?: boolean
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
export function readDashboard(folder: string, facts: PageFacts = {}): Dashboard | null {
  if (!existsSync(join(folder, 'index.html'))) return null
  const names = readdirSync(join(folder, 'assets')).filter((name) => extname(name) in CONTENT_TYPES)
  checkSize(folder, names)
  return {
    page: pageWith(facts, folder),
    assets: names.map((name) => readOne(folder, `assets/${name}`)),
    hasImages: facts.hasImages === true,
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
  const forms = { br: prepared(folder, `${name}.br`), gzip: prepared(folder, `${name}.gz`) }
  return fileOf(name, readFileSync(join(folder, name)), forms)
}

/** The page learns them from attributes. The forms that the build prepared do not have these. */
function pageWith({ hasImages, isSimulated }: PageFacts, folder: string): DashboardFile {
  const attributes = [
    ...(hasImages === true ? [' data-images="on"'] : []),
    ...(isSimulated === true ? [' data-market="simulated"'] : []),
  ].join('')
  if (attributes === '') return readOne(folder, 'index.html')
  const text = readFileSync(join(folder, 'index.html'), 'utf8')
  const bytes = Buffer.from(text.replace('<html', `<html${attributes}`))
  return fileOf('index.html', bytes, { br: null, gzip: null })
}

function fileOf(
  name: string,
  bytes: Buffer,
  forms: Readonly<Record<'br' | 'gzip', Buffer | null>>,
): DashboardFile {
  const etag = `W/"${hash('sha1', bytes, 'base64url')}"`
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
