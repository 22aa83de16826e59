import { signal } from '@preact/signals'

/** What the address says is to be shown. */
export type Route =
  | { readonly page: 'board'; readonly search: string }
  | { readonly page: 'trending'; readonly search: string }
  | { readonly page: 'engine' }
  | { readonly page: 'token'; readonly mint: string }
  | { readonly page: 'wallet'; readonly wallet: string }

export const route = signal<Route>(readRoute())

export const tokenPath = (mint: string) => `/token/${encodeURIComponent(mint)}`
export const walletPath = (wallet: string) => `/wallet/${encodeURIComponent(wallet)}`

/** The board as it was looked at last, so that going back keeps its filters. */
let lastBoard = ''
export const boardPath = () => `/${lastBoard}`
export const TRENDING_PATH = '/trending'
let lastTrending = ''
/** The same of what trends. */
export const trendingPath = () => `${TRENDING_PATH}${lastTrending}`

function readRoute(): Route {
  const [, page, word] = location.pathname.split('/')
  if (page === 'trending') return { page: 'trending', search: location.search }
  if (page === 'engine') return { page: 'engine' }
  if (page === 'token') return { page: 'token', mint: decoded(word) }
  if (page === 'wallet') return { page: 'wallet', wallet: decoded(word) }
  return { page: 'board', search: location.search }
}

function decoded(word: string | undefined): string {
  try {
    return decodeURIComponent(word ?? '')
  } catch {
    return ''
  }
}

/** Addresses of the page; others of the service, such as `/docs`, are loaded. */
const OWN_PATH = /^\/(trending|engine|token\/.*|wallet\/.*)?$/

function changed(): void {
  route.value = readRoute()
  if (route.value.page === 'board') lastBoard = location.search
  if (route.value.page === 'trending') lastTrending = location.search
}

/** Goes to an address of the page; `replace` leaves no step to go back to, nor does the one that is shown. */
export function go(path: string, how: 'push' | 'replace' = 'push'): void {
  const isShown = path === location.pathname + location.search
  if (how === 'push' && !isShown) history.pushState(null, '', path)
  else history.replaceState(null, '', path)
  changed()
}

/** Follows the browser's buttons, and plain clicks on the page's own links without a reload. */
export function followAddress(): void {
  changed()
  addEventListener('popstate', changed)
  document.addEventListener('click', (event) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link === null || link.target !== '' || link.origin !== location.origin) return
    if (link.hash !== '' || !OWN_PATH.test(link.pathname)) return
    event.preventDefault()
    go(link.pathname + link.search)
  })
}
