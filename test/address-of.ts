import { createHash } from 'node:crypto'
import { encodeBase58 } from '../src/base/base58.ts'

/** A well-formed address that has this name in a test. */
export function addressOf(name: string): string {
  return encodeBase58(createHash('sha256').update(name).digest())
}
