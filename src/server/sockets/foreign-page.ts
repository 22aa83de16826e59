/**
 * Does a browser say that a page asks which may not read answers? `origin` and `host` are the request's headers,
 * `allowed` is CORS_ORIGIN. Browsers hold CORS against no WebSocket: who serves one has to look. Programs send
 * no origin, and the page of the service itself has the host that it was asked by, whatever ends its TLS.
 */
export function isForeignPage(origin: string, host: string, allowed: string): boolean {
  if (allowed === '*' || origin === '' || origin === allowed) return false
  const page = URL.parse(origin)
  if (page === null || !/^https?:$/.test(page.protocol)) return true
  return URL.parse(`${page.protocol}//${host}`)?.origin !== page.origin
}
