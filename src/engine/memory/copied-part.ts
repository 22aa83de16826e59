import { type StatePart, sizesOf } from './state-part.ts'

/** Most bytes of a part that is written out; V8 makes no text longer than twice this. */
export const COPIED_BYTES_MAX = 1 << 28

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * A part that lies in memory in another form than it is saved: written out whole, and read back
 * when all bytes are in place. For what is small beside the rows.
 */
export function copiedPart(
  name: string,
  write: () => Uint8Array,
  read: (bytes: Uint8Array<ArrayBuffer>) => void,
): StatePart {
  let opened = new Uint8Array(0)
  return {
    name,
    facts: () => [write().length],
    views: () => [write()],
    open(facts) {
      const [length] = sizesOf(name, facts, [COPIED_BYTES_MAX])
      opened = new Uint8Array(length)
      return [opened]
    },
    settle() {
      read(opened)
      opened = new Uint8Array(0)
    },
  }
}

/** A copied part whose bytes are JSON; `read` checks what it is given. */
export function jsonPart(
  name: string,
  write: () => unknown,
  read: (value: unknown) => void,
): StatePart {
  return copiedPart(
    name,
    () => encoder.encode(JSON.stringify(write())),
    (bytes) => read(JSON.parse(decoder.decode(bytes))),
  )
}
