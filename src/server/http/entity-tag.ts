/**
 * Whether If-None-Match names the tag: `*`, or a list of strong and weak tags, compared weakly
 * (RFC 9110 section 13.1.2).
 */
export function matchesEntityTag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === '') return false
  if (ifNoneMatch.trim() === '*') return true
  const opaque = withoutWeakness(etag)
  for (const [tag] of ifNoneMatch.matchAll(ENTITY_TAG)) {
    if (withoutWeakness(tag) === opaque) return true
  }
  return false
}

const ENTITY_TAG = /(?:W\/)?"[^"]*"/g

function withoutWeakness(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}
