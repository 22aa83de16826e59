import type { Route } from './route.ts'

export interface RouteMatch {
  readonly route: Route
  /** Raw text of the `:names`. */
  readonly segments: readonly string[]
}

/** Finds routes by path; the method is compared by the front, which needs both answers. */
export interface Router {
  /** Null when no route has the path. */
  find(path: string): RouteMatch | null
}

interface Pattern {
  readonly route: Route
  readonly pieces: readonly string[]
  readonly names: readonly number[]
}

/** Routes are tried in the order given, fixed paths without `:names` first. */
export function routerOf(routes: readonly Route[]): Router {
  const fixed = new Map<string, RouteMatch>()
  const bySize = new Map<number, Pattern[]>()
  for (const route of routes) {
    const pattern = patternOf(route)
    if (pattern.names.length === 0) fixed.set(route.path, { route, segments: [] })
    else bySize.set(pattern.pieces.length, [...(bySize.get(pattern.pieces.length) ?? []), pattern])
  }
  return {
    find(path) {
      const match = fixed.get(path)
      if (match !== undefined) return match
      const pieces = path.split('/')
      const pattern = bySize.get(pieces.length)?.find((candidate) => fits(candidate, pieces))
      if (pattern === undefined) return null
      return { route: pattern.route, segments: pattern.names.map((index) => pieces[index]) }
    },
  }
}

function patternOf(route: Route): Pattern {
  const pieces = route.path.split('/')
  const names = pieces.flatMap((piece, index) => (piece.startsWith(':') ? [index] : []))
  return { route, pieces, names }
}

function fits(pattern: Pattern, pieces: readonly string[]): boolean {
  return pattern.pieces.every((piece, index) => piece.startsWith(':') || piece === pieces[index])
}
