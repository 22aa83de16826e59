import { METADATA_KEYS, type Metadata, type MetadataKey } from '../../events/event.ts'
import { cleanLink, codePoints, xLinkOf } from '../../events/text.ts'
import type { XLinks } from '../index/x-links.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { copiedPart, StateError, type StatePart } from '../memory/state-part.ts'
import { bytesOf } from '../memory/views.ts'
import { flagsOf } from '../state/lanes.ts'
import { MetadataLane, TokenFlag } from '../state/layout.ts'
import type { State } from '../state/state.ts'

/** Bound of a description, in code points (contract section 8). */
const DESCRIPTION_CHARACTERS_MAX = 4_096
/** Mints with metadata and nothing else; the one that waited longest loses it when more come. */
export const WAITING_METADATA_MAX = 65_536
/** Waits after which the walk through the set starts anew: an iterator holds each table that the set has outgrown since. */
const WAITS_A_WALK = 16_384

/** Metadata counts from its arrival on, and waits for a mint that is unknown yet (contract 2, 8). */
export class MetadataFold {
  readonly #state: State
  readonly #links: XLinks
  readonly #waiting = new Set<number>()
  /** Stands before the mint that waits longest: a walk from the set's start would pass all removed ones again. */
  #oldest = this.#waiting.values()
  #waits = 0

  /** Tokens, in the order of waiting. */
  readonly part: StatePart = copiedPart(
    'waiting metadata',
    () => bytesOf(Uint32Array.from(this.#waiting)),
    (bytes) => this.#load(bytes),
  )

  constructor(state: State, links: XLinks) {
    this.#state = state
    this.#links = links
  }

  fold(token: number, event: Metadata): void {
    const m = this.#state.metadata.u32[token >>> ROW_SHIFT]
    const at = (token & ROW_MASK) * MetadataLane.lanes
    for (let i = 0; i < METADATA_KEYS.length; i++) {
      const value = event[METADATA_KEYS[i]]
      const lane = at + MetadataLane.firstText + i
      if (value !== undefined)
        m[lane] = this.#state.texts.replace(m[lane], cleanText(METADATA_KEYS[i], value ?? ''))
    }
    if (event.dexPaid !== undefined) m[at + MetadataLane.dexPaid] = event.dexPaid ? 1 : 0
    if (event.twitter !== undefined) this.#links.set(token, xLinkOf(event.twitter ?? ''))
    if ((flagsOf(this.#state, token) & TokenFlag.exists) === 0) this.#wait(token)
  }

  #load(bytes: Uint8Array<ArrayBuffer>): void {
    if (bytes.length % 4 !== 0 || bytes.length > WAITING_METADATA_MAX * 4)
      throw new StateError(`the state's waiting metadata has ${bytes.length} bytes`)
    this.#waiting.clear()
    this.#oldest = this.#waiting.values()
    for (const token of new Uint32Array(bytes.buffer)) {
      if (token >= this.#state.metadata.count)
        throw new StateError(`metadata waits for token ${token}, which the state does not have`)
      this.#waiting.add(token)
    }
  }

  #wait(token: number): void {
    this.#waiting.delete(token)
    this.#waiting.add(token)
    this.#waits += 1
    if (this.#waits % WAITS_A_WALK === 0) this.#oldest = this.#waiting.values()
    while (this.#waiting.size > WAITING_METADATA_MAX) {
      const oldest = this.#oldest.next()
      if (oldest.done) return
      this.#waiting.delete(oldest.value)
      this.#lose(oldest.value)
    }
  }

  #lose(token: number): void {
    if ((flagsOf(this.#state, token) & TokenFlag.exists) !== 0) return
    this.#links.set(token, '')
    const at = (token & ROW_MASK) * MetadataLane.lanes
    this.#state.metadata.u32[token >>> ROW_SHIFT].fill(0, at, at + MetadataLane.positions)
  }
}

function cleanText(key: MetadataKey, value: string): string {
  return key === 'description' ? codePoints(value, DESCRIPTION_CHARACTERS_MAX) : cleanLink(value)
}
