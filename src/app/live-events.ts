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

/** Live events and the clock that they came at, in unix seconds; 0: as before. */
interface Batch {
  readonly events: readonly FeedEvent[]
  readonly clockSeconds: number
}

/**
 * The events that the live service has taken behind a gap, in their order: first those of the journal's whole segments,
 * then those that it takes meanwhile, which wait in memory.
 */
export class LiveEvents {
  readonly #service: Service
  readonly #durability: Durability
  readonly #plan: BuildPlan
  readonly #signal: AbortSignal
  readonly #waiting: Batch[] = []
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
  async all(
    taken: () => number,
    take: (events: readonly FeedEvent[], clockSeconds: number) => void,
    beforeEnd: () => Promise<unknown>,
  ): Promise<void> {
    const inSlices = async (batches: Iterable<Batch>) => {
      let sliceEndMs = performance.now() + SLICE_MS
      for (const { events, clockSeconds } of batches) {
        take(events, clockSeconds)
        if (performance.now() < sliceEndMs) continue
        await setImmediate()
        if (this.#signal.aborted) return
        sliceEndMs = performance.now() + SLICE_MS
      }
    }
    let isEnding = false
    while (!this.#signal.aborted) {
      await inSlices(this.#ofJournal(taken()))
      await inSlices(this.#ofMemory())
      if (this.#areTooMany) continue
      if (!isEnding) await beforeEnd()
      isEnding = true
      await inSlices(this.#ofMemory())
      if (!this.#areTooMany) return
    }
  }

  /** No event waits from now on. */
  end(): void {
    this.#service.onTaken = () => {}
    this.#waiting.length = 0
  }

  *#ofJournal(taken: number): Iterable<Batch> {
    const { engine } = this.#service
    this.#waiting.length = 0
    this.#waitingEvents = 0
    this.#areTooMany = false
    const { disk, folder, until } = this.#durability.wholeSegments()
    this.#service.onTaken = (events) => this.#wait(events, engine.state.now)
    let passed = taken
    const { live } = this.#plan
    const files = listDataFiles(disk, folder)
    for (const found of journalEvents(disk, files, live, until, engine.state.book)) {
      const events = this.#behindGap(found.events)
      const skipped = Math.min(passed, events.length)
      passed -= skipped
      const clockSeconds = passed === 0 ? (found.clockSeconds ?? 0) : 0
      yield { events: events.slice(skipped), clockSeconds }
    }
  }

  *#ofMemory(): Iterable<Batch> {
    while (!this.#areTooMany) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#waitingEvents -= next.events.length
      yield { ...next, events: this.#behindGap(next.events) }
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
