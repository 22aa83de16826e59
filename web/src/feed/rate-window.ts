/** What the service said of one endpoint's limit for this browser's address. */
export interface RateWindow {
  readonly endpoint: string
  /** Requests a window. */
  readonly limit: number
  readonly remaining: number
  /** Unix ms of this browser: from then on all requests are there again. */
  readonly endsAtMs: number
}

/** Endpoints of the page are fewer; past it the one asked longest ago is forgotten. */
const WINDOWS_MAX = 32
/** Segments of this length name a mint or wallet: the limit is for all of them together. */
const ADDRESS_LENGTH = 20

/** Null: the answer has no limit. */
export function rateWindow(
  path: string,
  header: (name: string) => string | null,
  nowMs: number,
): RateWindow | null {
  const [limit, remaining, resetS] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(header(`x-ratelimit-${name}`) ?? Number.NaN),
  )
  if (![limit, remaining, resetS].every(Number.isFinite)) return null
  return { endpoint: endpointOf(path), limit, remaining, endsAtMs: nowMs + resetS * 1000 }
}

/** `/api/v2/token/5WMq…pump` as `token/…`. */
function endpointOf(path: string): string {
  return path
    .replace(/^\/api\/v2\//, '')
    .split('/')
    .map((segment) => (segment.length >= ADDRESS_LENGTH ? '…' : segment))
    .join('/')
}

export function withWindow(
  windows: ReadonlyMap<string, RateWindow>,
  window: RateWindow,
): ReadonlyMap<string, RateWindow> {
  const others = [...windows].filter(([endpoint]) => endpoint !== window.endpoint)
  return new Map([...others, [window.endpoint, window] as const].slice(-WINDOWS_MAX))
}
