import { createHash, type Hash } from 'node:crypto'
import type { StatePart } from '../engine/memory/state-part.ts'

/** Sha-256 (hex) of a whole state: the name, the facts and the bytes of each part. */
export function stateDigest(parts: readonly StatePart[]): string {
  const hash = createHash('sha256')
  for (const part of parts) digestPart(hash, part)
  return hash.digest('hex')
}

/** Adds one part to a digest. */
export function digestPart(hash: Hash, part: StatePart): void {
  const views = part.views()
  const bytes = views.reduce((sum, view) => sum + view.length, 0)
  hash.update(JSON.stringify([part.name, part.facts(), bytes]))
  for (const view of views) hash.update(view)
}
