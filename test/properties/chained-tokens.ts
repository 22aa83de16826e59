import type { Rank, SearchIndex } from '../../src/engine/index/search-index.ts'

/** Tokens whose symbol the needle is, or that begin with it; null when they are too many to weigh. */
export function chainedTokens(
  index: SearchIndex,
  needle: Buffer,
  rank: typeof Rank.symbol | typeof Rank.prefix,
): number[] | null {
  const texts = index.candidates(needle, rank)
  if (texts === null) return null
  return [...texts]
    .filter((text) => index.gives(needle, text, rank))
    .map((text) => index.tokenOf(text))
}
