import { accept } from '../../protocol/requests/parsers.ts'
import type { Dashboard, DashboardFile } from '../http/dashboard-files.ts'
import type { Header, Reply } from '../http/reply.ts'
import type { Route } from '../http/router.ts'

/** Addresses of the page, also half written or with a slash too many; what to show there is the page's own matter. */
const PAGE_PATHS = [
  ...['/', '/engine', '/engine/'],
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

function replyOf({ contentType, body }: DashboardFile, headers: readonly Header[]): Reply {
  return { statusCode: 200, contentType, body, headers }
}
