import type { Route } from './route.ts'

export interface RouteMatch {
  readonly route: Route
  /** The path's `:name` and its raw text; null where the path has none. */
  readonly named: { readonly name: string; readonly raw: string } | null
}

/** Finds routes by path; the method is compared by the front, which needs both answers. */
export interface Router {
  /** Null when no route has the path. */
  find(path: string): RouteMatch | null
}

/** A path with one `:name`: what stands before and behind it. */
interface Pattern {
  readonly route: Route
  readonly name: string
  readonly before: string
  readonly behind: string
}

/** Routes are tried in the order given, fixed paths without `:names` first. */
export function routerOf(routes: readonly Route[]): Router {
  const fixed = new Map<string, RouteMatch>()
  const patterns: Pattern[] = []
  for (const route of routes) {
    const [before, named, ...more] = route.path.split(':')
    if (more.length > 0) throw new Error(`The path ${route.path} has more than one name.`)
    if (named === undefined) {
      fixed.set(route.path, { route, named: null })
      continue
    }
    const [name] = named.split('/')
    patterns.push({ route, name, before, behind: named.slice(name.length) })
  }
  return {
    find(path) {
      const match = fixed.get(path)
      if (match !== undefined) return match
      for (const { route, name, before, behind } of patterns) {
        if (!path.startsWith(before) || !path.endsWith(behind)) continue
        const end = path.length - behind.length
        // Both may be in the same place of a short path.
        if (end < before.length) continue
        const raw = path.slice(before.length, end)
        if (!raw.includes('/')) return { route, named: { name, raw } }
      }
      return null
    },
  }
}
