/** Most bytes of a part that is written out; V8 makes no text longer than twice this. */
const COPIED_BYTES_MAX = 1 << 28

/**
 * `engine/memory` has the containers of the engine, outside V8's heap: rows, hash slots, lists, texts, bytes. They know no
 * token and no swap; each can be a part of a snapshot.
 *
 * A part of the state, as a snapshot stores it: a few numbers for its size, and its bytes where they lie. The
 * same history gives the same facts and bytes, whatever was read in between; derived data is no part.
 */
export interface StatePart {
  /** Its name in the snapshot's table of contents. */
  readonly name: string
  /** Sizes and single values, all finite; with the bytes they are the whole of the part. */
  facts(): readonly number[]
  /** The bytes as they stand, in order; valid until the next event. */
  views(): readonly Uint8Array[]
  /**
   * Makes the part as big as the facts say and returns where its bytes belong, in the order and of
   * the lengths that `views` had. What the part held before is gone.
   */
  open(facts: readonly number[]): readonly Uint8Array[]
  /** The bytes of all parts are in place: makes anew what is derived from them. */
  settle(): void
  /** The part as a version of snapshots has it, whose `settle` brings it into this shape; null: it has this one. */
  former?(version: number): StatePart | null
}

/** Why a saved state cannot be loaded, in one sentence; the engine that was loading it is useless then. */
export class StateError extends Error {
  override readonly name = 'StateError'
}

/**
 * The facts of a part that are sizes, checked before anything is made as big as they say: one for
 * each limit, a whole number from 0 to it.
 */
export function sizesOf(
  part: string,
  facts: readonly number[],
  limits: readonly number[],
): readonly number[] {
  if (facts.length !== limits.length)
    throw new StateError(
      `the state's ${part} has ${facts.length} facts instead of ${limits.length}`,
    )
  for (let i = 0; i < limits.length; i++)
    if (!Number.isSafeInteger(facts[i]) || facts[i] < 0 || facts[i] > limits[i])
      throw new StateError(
        `fact ${i} of the state's ${part} is ${facts[i]} but must be an integer from 0 to ${limits[i]}`,
      )
  return facts
}

/** A container with buffers of its own. */
export interface Sized {
  /** Bytes of its buffers. */
  readonly bytes: number
  /** Of those never written to: the system has given no memory for them yet. */
  readonly untouchedBytes?: number
}

/** One part of the program's memory, as figures name it. */
export interface MemoryPart {
  /** Words of a figure's name, in front of `_bytes`. */
  readonly name: string
  readonly bytes: number
  readonly untouchedBytes: number
  /** Does it grow with the market? Else it has a bound. */
  readonly grows: boolean
}

/** Memory that grows with tokens, wallets, positions or swaps. */
export function growingPart(name: string, ...sized: readonly Sized[]): MemoryPart {
  return { ...summed(sized), name, grows: true }
}

/** Memory with a bound. */
export function boundedPart(name: string, ...sized: readonly Sized[]): MemoryPart {
  return { ...summed(sized), name, grows: false }
}

function summed(sized: readonly Sized[]): Required<Sized> {
  return {
    bytes: sized.reduce((sum, { bytes }) => sum + bytes, 0),
    untouchedBytes: sized.reduce((sum, { untouchedBytes }) => sum + (untouchedBytes ?? 0), 0),
  }
}

/** A part without bytes: `derive` makes it from the others when a state was loaded. */
export function derivedPart(name: string, derive: () => void): StatePart {
  const open = (facts: readonly number[]) => {
    sizesOf(name, facts, [])
    return []
  }
  return { name, facts: () => [], views: () => [], open, settle: derive }
}

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
