import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { FeedEvent } from '../events/event.ts'
import { listDataFiles } from '../store/folder/data-folder.ts'
import { type JournalEvents, journalEvents } from '../store/journal/journal-events.ts'
import type { BuildPlan } from './build-plan.ts'
import type { Durability } from './durability.ts'
import type { Service } from './service.ts'

/** Events that are put in their place by one build, which holds them; past it the newest stay where they came. */
const LATE_EVENTS_MAX = 100_000
/** Live events that wait to be folded again; past it the journal is read once more. */
const WAITING_EVENTS_MAX = 50_000
/** How often it is looked whether they are on the disk. */
const LASTS_MS = 2
/** Folding them holds the loop for this long at a time. */
const SLICE_MS = 4

/** An event that came too late, its slot, and its number among all that the journal has from its place on. */
interface LateEvent {
  readonly event: FeedEvent
  readonly slot: number
  readonly at: number
}

/**
 * The events that the live service has taken behind a gap, in their order: first those of the journal's whole segments,
 * then those that it takes meanwhile, which wait in memory. Those that came too late come in the place that they have in
 * the chain.
 */
export class LiveEvents {
  readonly #service: Service
  readonly #durability: Durability
  readonly #plan: BuildPlan
  readonly #signal: AbortSignal
  readonly #waiting: (JournalEvents & { readonly endSeq: number })[] = []
  #waitingEvents = 0
  #areTooMany = false
  /** Are all that came too late put in their place by this build? */
  hasAllLate = true

  constructor(service: Service, durability: Durability, plan: BuildPlan, signal: AbortSignal) {
    this.#service = service
    this.#durability = durability
    this.#plan = plan
    this.#signal = signal
  }

  /**
   * Hands over all events behind the first `taken`; resolves in a turn in which there is none that was not handed over, or
   * after the signal. `beforeEnd` is called once there are few left. Until then only what is on the disk is handed over:
   * after a power loss, whoever took more would pass over as many others.
   * @throws StoreError when the journal cannot be read
   */
  async all(
    taken: () => number,
    take: (events: readonly FeedEvent[], clockSeconds: number) => void,
    beforeEnd: () => Promise<unknown>,
  ): Promise<void> {
    const inSlices = async (batches: Iterable<JournalEvents>) => {
      let sliceEndMs = performance.now() + SLICE_MS
      for (const { events, clockSeconds } of batches) {
        take(events, clockSeconds ?? 0)
        if (performance.now() < sliceEndMs) continue
        await setImmediate()
        if (this.#signal.aborted) return
        sliceEndMs = performance.now() + SLICE_MS
      }
    }
    let isEnding = false
    while (!this.#signal.aborted) {
      const journal = this.#ofJournal(taken())
      await this.#lasts()
      await inSlices(journal)
      await inSlices(this.#ofMemory(false))
      if (this.#areTooMany) continue
      if (!isEnding) await beforeEnd()
      isEnding = true
      await this.#lasts()
      await inSlices(this.#ofMemory(true))
      if (!this.#areTooMany) return
    }
  }

  /** No event waits from now on. */
  end(): void {
    this.#service.onTaken = () => {}
    this.#waiting.length = 0
  }

  /** What comes from here on waits in memory. */
  #ofJournal(taken: number): Iterable<JournalEvents> {
    const { engine } = this.#service
    this.#waiting.length = 0
    this.#waitingEvents = 0
    this.#areTooMany = false
    const { disk } = this.#durability
    const { folder, until } = this.#durability.wholeSegments()
    this.#service.onTaken = (events) => this.#wait(events, engine.state.now)
    const files = listDataFiles(disk, folder)
    const { live } = this.#plan
    return this.#behind(taken, () => journalEvents(disk, files, live, until, engine.state.book))
  }

  *#behind(taken: number, read: () => Iterable<JournalEvents>): Iterable<JournalEvents> {
    let passed = taken
    const { live, lateSeq = live.seq } = this.#plan
    const late: LateEvent[] = []
    if (lateSeq > live.seq) yield* this.#findLate(read(), lateSeq - live.seq, late)
    for (const found of late.length > 0 ? inPlace(read(), late) : read()) {
      const events = this.#behindGap(found.events)
      const skipped = Math.min(passed, events.length)
      passed -= skipped
      const clockSeconds = passed === 0 ? found.clockSeconds : null
      yield { events: events.slice(skipped), clockSeconds }
    }
  }

  /** Collects what the engine has refused among the first `count` events, in the order of the chain. */
  *#findLate(
    found: Iterable<JournalEvents>,
    count: number,
    late: LateEvent[],
  ): Iterable<JournalEvents> {
    const { lateSlots } = this.#service.engine.settings
    let newestSlot = -1
    let at = 0
    let isFilling = false
    this.hasAllLate = true
    for (const { events } of found) {
      for (const event of events.slice(0, count - at)) {
        // What fills a gap is folded in its place.
        if (event.type === 'gap') isFilling = event.state === 'filling'
        const slot = 'slot' in event ? event.slot : null
        const isLate = slot !== null && !isFilling && slot < newestSlot - lateSlots
        if (isLate && late.length < LATE_EVENTS_MAX) late.push({ event, slot, at })
        else if (isLate) this.hasAllLate = false
        if (slot !== null) newestSlot = Math.max(newestSlot, slot)
        at += 1
      }
      if (at >= count) break
      yield NOTHING
    }
    late.sort((a, b) => a.slot - b.slot || a.at - b.at)
  }

  /** What has come by now is on the disk then. */
  async #lasts(): Promise<void> {
    const { seq } = this.#durability
    while (this.#durability.lastingSeq < seq && !this.#signal.aborted) await sleep(LASTS_MS)
  }

  *#ofMemory(isLast: boolean): Iterable<JournalEvents> {
    while (!this.#areTooMany) {
      const [next] = this.#waiting
      if (next === undefined) return
      if (!isLast && next.endSeq > this.#durability.lastingSeq) return
      this.#waiting.shift()
      this.#waitingEvents -= next.events.length
      yield { ...next, events: this.#behindGap(next.events) }
    }
  }

  #wait(events: readonly FeedEvent[], clockSeconds: number): void {
    if (this.#areTooMany) return
    this.#waiting.push({ events, clockSeconds, endSeq: this.#durability.seq })
    this.#waitingEvents += events.length
    this.#areTooMany = this.#waitingEvents > WAITING_EVENTS_MAX
  }

  /** Without what they say of the gap itself, which is filled here. */
  #behindGap(events: readonly FeedEvent[]): readonly FeedEvent[] {
    if (this.#plan.gap === null) return events
    const { from, to } = this.#plan.gap
    return events.flatMap((event) => {
      if (event.type !== 'gap' || event.fromSlot > to || event.toSlot < from) return [event]
      const before = { ...event, toSlot: from - 1 }
      const behind = { ...event, fromSlot: to + 1 }
      return [before, behind].filter(({ fromSlot, toSlot }) => fromSlot <= toSlot)
    })
  }
}

/** Lets the loop turn while the journal is read and nothing is handed over. */
const NOTHING: JournalEvents = { events: [], clockSeconds: null }

/** All events of a journal, the late ones of them behind the last that came in time of their slot or an older one. */
function* inPlace(found: Iterable<JournalEvents>, late: readonly LateEvent[]) {
  const moved = new Set(late.map(({ at }) => at))
  let next = 0
  let newestSlot = -1
  let at = 0
  for (const { events, clockSeconds } of found) {
    const placed: FeedEvent[] = []
    for (const event of events) {
      if (moved.has(at++)) continue
      if ('slot' in event && event.slot !== null) newestSlot = Math.max(newestSlot, event.slot)
      for (let first = late[next]; first && first.slot < newestSlot; first = late[++next])
        placed.push(first.event)
      placed.push(event)
    }
    yield { events: placed, clockSeconds }
  }
  yield { events: late.slice(next).map(({ event }) => event), clockSeconds: null }
}
