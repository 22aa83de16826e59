/** What tokens have in common: their creator, and the X link they show. */
import { creatorOf } from './classes.ts'
import { compareText } from './exact.ts'
import { compareBirths, type Key } from './order.ts'
import { knownOf, xLink } from './text.ts'
import { isGraduated, type Token, type World } from './world.ts'

export interface CreatorCounts {
  readonly creations: number
  readonly migrations: number
}

/** Tokens whose creation by this creator is known; an unknown creator has none. */
export function creatorCounts(world: World, creator: string): CreatorCounts {
  const own = [...world.tokens.values()].filter(
    (token) => creator !== '' && token.created !== null && creatorOf(token) === creator,
  )
  return { creations: own.length, migrations: own.filter(isGraduated).length }
}

export const creationKeyOf = (token: Token): Key => token.created?.key ?? token.firstKey

/** Tokens created earlier with the same X link. */
export function xReusesOf(world: World, token: Token): number {
  const link = linkOf(world, token)
  if (link === null) return 0
  const earlier = [...world.tokens.values()].filter((other) => {
    const order = compareBirths(creationKeyOf(other), creationKeyOf(token))
    return (order || compareText(other.mint, token.mint)) < 0 && linkOf(world, other) === link
  })
  return earlier.length
}

function linkOf(world: World, token: Token): string | null {
  return xLink(knownOf(world.metadata.get(token.mint) ?? []).texts.twitter)
}
