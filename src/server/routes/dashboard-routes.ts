import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { accept } from '../../protocol/requests/parsers.ts'
import type { Route } from '../http/front.ts'
import { EncodedBody, type Header, type Reply, type StaticDocument } from '../http/reply.ts'

/** Files of the built page at most; one that has more is not a page of this program. */
const MAX_DASHBOARD_FILES = 64
/** Bytes of those files in all, uncompressed: they stay in memory. */
const MAX_DASHBOARD_BYTES = 4 * 1024 * 1024

/** The built page in memory, read once at the start. */
export interface Dashboard {
  /** `index.html`: every address of the page. */
  readonly page: StaticDocument
  /** Files with a hash in their name, `/assets/<name>-<hash>.js`: their content never changes. */
  readonly assets: readonly StaticDocument[]
  /** The page may show pictures of tokens, from whatever server their creators named. */
  readonly hasImages: boolean
}

/** Facts of the service that the page reads from attributes of its root. */
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

function readOne(folder: string, name: string): StaticDocument {
  const forms = { br: prepared(folder, `${name}.br`), gzip: prepared(folder, `${name}.gz`) }
  return fileOf(name, readFileSync(join(folder, name)), forms)
}

/** The page learns them from attributes. The forms that the build prepared do not have these. */
function pageWith({ hasImages, isSimulated }: PageFacts, folder: string): StaticDocument {
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
  forms: ConstructorParameters<typeof EncodedBody>[1],
): StaticDocument {
  const contentType = CONTENT_TYPES[extname(name)] ?? ''
  return { path: `/${name}`, contentType, body: new EncodedBody(bytes, forms) }
}

function prepared(folder: string, name: string): Buffer | null {
  const path = join(folder, name)
  return existsSync(path) ? readFileSync(path) : null
}

/** Addresses of the page, also half written or with a slash too many; the page itself decides what to show there. */
const PAGE_PATHS = [
  ...['/', '/trending', '/trending/', '/engine', '/engine/'],
  ...['/token', '/token/:mint', '/token/:mint/'],
  ...['/wallet', '/wallet/:wallet', '/wallet/:wallet/'],
]

/**
 * Scripts, styles and connections of this origin alone: a text of the chain that got into the page
 * as markup could still load and run nothing. Pictures of tokens are the one exception, if asked for.
 */
function pageHeaders(hasImages: boolean): readonly Header[] {
  const pictures = hasImages ? "'self' data: https:" : "'self' data:"
  const policy =
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src ${pictures}; ` +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  return [
    ['Cache-Control', 'no-cache'],
    ['Content-Security-Policy', policy],
  ]
}

/** The name of an asset has a hash of what it holds, so that a browser never has to ask again. */
const ASSET_HEADERS: readonly Header[] = [['Cache-Control', 'public, max-age=31536000, immutable']]

const NOT_BUILT: Reply = {
  statusCode: 404,
  contentType: 'text/plain; charset=utf-8',
  body: 'The page is not built: `make run` or `make build` does it. The API is described at /docs.\n',
  headers: [['Cache-Control', 'no-store']],
}

/** Routes of the page; null: it is not built, and `/` says so. */
export function dashboardRoutes(dashboard: Dashboard | null): readonly Route[] {
  if (dashboard === null) return PAGE_PATHS.map((path) => pageRoute(path, NOT_BUILT))
  const page = replyOf(dashboard.page, pageHeaders(dashboard.hasImages))
  return [
    ...PAGE_PATHS.map((path) => pageRoute(path, page)),
    ...dashboard.assets.map((file) => ({
      ...pageRoute(file.path, replyOf(file, ASSET_HEADERS)),
      name: 'dashboard asset',
    })),
  ]
}

function pageRoute(path: string, reply: Reply): Route {
  const answer = () => accept(reply)
  return { name: 'dashboard', method: 'GET', path, isApi: false, isWordRaw: true, answer }
}

function replyOf({ contentType, body }: StaticDocument, headers: readonly Header[]): Reply {
  return { statusCode: 200, contentType, body, headers }
}
