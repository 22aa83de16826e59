import { createHash, type Hash } from 'node:crypto'
import type { StatePart } from '../../engine/memory/state-part.ts'
import { totalBytes } from '../../engine/memory/views.ts'

/** A part as it stands: some are written out each time they are asked, so they are asked once. */
interface PartImage {
  readonly name: string
  readonly facts: readonly number[]
  readonly views: readonly Uint8Array[]
}

export function imageOf(part: StatePart): PartImage {
  return { name: part.name, facts: part.facts(), views: part.views() }
}

/** Sha-256 (hex) of a whole state: the name, the facts and the bytes of each part. */
export function stateDigest(parts: readonly StatePart[]): string {
  const hash = createHash('sha256')
  for (const part of parts) digestPart(hash, imageOf(part))
  return hash.digest('hex')
}

/** Adds one part to a digest. */
export function digestPart(hash: Hash, { name, facts, views }: PartImage): void {
  hash.update(JSON.stringify([name, facts, totalBytes(views)]))
  for (const view of views) hash.update(view)
}
