import { setImmediate } from 'node:timers/promises'
import type { FeedEvent } from '../events/event.ts'
import { listDataFiles } from '../store/folder/data-folder.ts'
import { journalEvents } from '../store/journal/journal-events.ts'
import type { BuildPlan } from './build-plan.ts'
import type { Durability } from './durability.ts'
import type { Service } from './service.ts'

/** Live events that wait to be folded again; past it the journal is read once more. */
const WAITING_EVENTS_MAX = 50_000
/** Folding them holds the loop for this long at a time. */
const SLICE_MS = 4

/** Takes live events and the clock that they came at, in unix seconds; 0: as before. */
type Take = (events: readonly FeedEvent[], clockSeconds: number) => void

/**
 * The events that the live service has taken behind a gap, in their order: first those of the journal's whole segments,
 * then those that it takes meanwhile, which wait in memory.
 */
export class LiveEvents {
  readonly #service: Service
  readonly #durability: Durability
  readonly #plan: BuildPlan
  readonly #signal: AbortSignal
  readonly #waiting: { readonly events: readonly FeedEvent[]; readonly clockSeconds: number }[] = []
  #waitingEvents = 0
  #areTooMany = false

  constructor(service: Service, durability: Durability, plan: BuildPlan, signal: AbortSignal) {
    this.#service = service
    this.#durability = durability
    this.#plan = plan
    this.#signal = signal
  }

  /**
   * Hands over all events behind the first `taken`; resolves in a turn in which there is none that was not handed over, or
   * after the signal. `beforeEnd` is called once there are few left.
   * @throws StoreError when the journal cannot be read
   */
  async all(taken: () => number, take: Take, beforeEnd: () => Promise<unknown>): Promise<void> {
    let isEnding = false
    while (!this.#signal.aborted) {
      await this.#ofJournal(taken(), take)
      await this.#ofMemory(take)
      if (this.#areTooMany) continue
      if (!isEnding) await beforeEnd()
      isEnding = true
      await this.#ofMemory(take)
      if (!this.#areTooMany) return
    }
  }

  /** No event waits from now on. */
  end(): void {
    this.#service.onTaken = () => {}
    this.#waiting.length = 0
  }

  async #ofJournal(taken: number, take: Take): Promise<void> {
    const { engine } = this.#service
    this.#waiting.length = 0
    this.#waitingEvents = 0
    this.#areTooMany = false
    const { disk, folder, until } = this.#durability.wholeSegments()
    this.#service.onTaken = (events) => this.#wait(events, engine.state.now)
    let passed = taken
    let sliceEndMs = performance.now() + SLICE_MS
    const { live } = this.#plan
    const files = listDataFiles(disk, folder)
    for (const found of journalEvents(disk, files, live, until, engine.state.book)) {
      const events = this.#behindGap(found.events)
      const skipped = Math.min(passed, events.length)
      passed -= skipped
      if (passed === 0) take(events.slice(skipped), found.clockSeconds ?? 0)
      if (performance.now() < sliceEndMs) continue
      await setImmediate()
      if (this.#signal.aborted) return
      sliceEndMs = performance.now() + SLICE_MS
    }
  }

  async #ofMemory(take: Take): Promise<void> {
    let sliceEndMs = performance.now() + SLICE_MS
    while (!this.#areTooMany) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#waitingEvents -= next.events.length
      take(this.#behindGap(next.events), next.clockSeconds)
      if (performance.now() < sliceEndMs) continue
      await setImmediate()
      if (this.#signal.aborted) return
      sliceEndMs = performance.now() + SLICE_MS
    }
  }

  #wait(events: readonly FeedEvent[], clockSeconds: number): void {
    if (this.#areTooMany) return
    this.#waiting.push({ events, clockSeconds })
    this.#waitingEvents += events.length
    this.#areTooMany = this.#waitingEvents > WAITING_EVENTS_MAX
  }

  /** Without what they say of the gap itself, which is filled here. */
  #behindGap(events: readonly FeedEvent[]): readonly FeedEvent[] {
    const { from, to } = this.#plan.gap
    return events.flatMap((event) => {
      if (event.type !== 'gap' || event.fromSlot > to || event.toSlot < from) return [event]
      const before = { ...event, toSlot: from - 1 }
      const behind = { ...event, fromSlot: to + 1 }
      return [before, behind].filter(({ fromSlot, toSlot }) => fromSlot <= toSlot)
    })
  }
}
