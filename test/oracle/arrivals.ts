/** How the events of a chain reach the service: late, twice, and with gaps in what is told. */
import type { FeedEvent, Gap, Swap } from '../../src/events/event.ts'
import { U64_MAX } from './exact.ts'
import type { Kind } from './kinds.ts'
import type { Step } from './market.ts'
import type { More } from './more.ts'
import { isPlaced } from './order.ts'
import type { Random } from './random.ts'

export interface LabelledEvent {
  readonly event: FeedEvent
  readonly kinds: readonly Kind[]
}

export function withoutSlot(random: Random, event: FeedEvent): FeedEvent {
  if (!isPlaced(event)) return event
  return { ...event, slot: null, txIndex: random.chance(0.5) ? event.txIndex : null }
}

/** Delays only: what has arrived by some step is never newer than that step. */
export function arrivals(random: Random, more: More, steps: readonly Step[]): LabelledEvent[] {
  const timed: (LabelledEvent & { readonly at: number })[] = []
  for (const [index, step] of steps.entries()) {
    const [late, lateKinds] = lateness(more, step)
    const at = arrivalOf(random, steps, index) + late
    const event = withGaps(random, steps, step)
    const kinds = [...step.kinds, ...lateKinds]
    timed.push({ event, at, kinds })
    const second = repeated(random, event)
    if (second) timed.push({ event: second, at: at + random.integer(0, 12) + 0.5, kinds })
    const again = toldAgain(more, event)
    if (again)
      timed.push({ event: again, at: at + more.random.integer(0, 12) + 0.5, kinds: ['repeated'] })
  }
  const inTurn = timed.toSorted((a, b) => a.at - b.at).map(({ event, kinds }) => ({ event, kinds }))
  return withOpenGap(more, inTurn)
}

/**
 * Some slots are not delivered in their turn: the feed says so, and their events come behind later ones as one
 * run in order, or never.
 */
function withOpenGap(more: More, events: readonly LabelledEvent[]): LabelledEvent[] {
  if (events.length < 3 || !more.has('gap', 0.3)) return [...events]
  const { random } = more
  const begin = random.integer(1, events.length - 2)
  const slots = events.slice(0, begin).map(({ event }) => slotOf(event))
  const fromSlot = Math.max(0, ...slots) + 1
  const toSlot = fromSlot + random.integer(0, 60)
  const isOfGap = ({ event }: LabelledEvent) => {
    const slot = slotOf(event)
    return slot >= fromSlot && slot <= toSlot
  }
  const behind = events.findIndex(({ event }) => slotOf(event) > toSlot)
  const first = events[behind]
  if (first === undefined) return [...events]
  const end = behind + random.integer(1, 80)
  const { timestamp } = first.event
  const gap = (state: Gap['state']): LabelledEvent => {
    return { event: { type: 'gap', fromSlot, toSlot, state, timestamp }, kinds: ['gap'] }
  }
  const others = (from: number, to?: number) => events.slice(from, to).filter((e) => !isOfGap(e))
  const late = random.chance(0.25)
    ? [gap('lost')]
    : [gap('filling'), ...inChainOrder(events.filter(isOfGap)), gap('filled')]
  return [...others(0, behind), gap('open'), ...others(behind, end), ...late, ...others(end)]
}

/** -1: it has none. */
function slotOf(event: FeedEvent): number {
  return isPlaced(event) ? (event.slot ?? -1) : -1
}

function inChainOrder(events: readonly LabelledEvent[]): LabelledEvent[] {
  const placeOf = ({ event }: LabelledEvent) =>
    isPlaced(event) ? [event.slot ?? 0, event.txIndex ?? 0, event.ordinal] : []
  return events.toSorted((a, b) => {
    const [one, other] = [placeOf(a), placeOf(b)]
    const differs = one.findIndex((part, i) => part !== other[i])
    return differs < 0 ? 0 : (one[differs] ?? 0) - (other[differs] ?? 0)
  })
}

const isUntraded = ({ type }: FeedEvent) =>
  type === 'reserves' || type === 'balance' || type === 'token_state'

/** Some reserves and balances come so late that they are refused. */
function lateness(more: More, { event }: Step): [number, Kind[]] {
  if (!isUntraded(event) || !more.has('late', 0.1)) return [0, []]
  return [more.random.integer(2, 30), ['late']]
}

/** Reserves or a balance again, with another content or with the same. */
function toldAgain(more: More, event: FeedEvent): FeedEvent | null {
  if (!isUntraded(event) || !more.has('repeated', 0.15)) return null
  if (more.random.chance(0.3)) return event
  if (event.type === 'balance') return { ...event, balanceRaw: event.balanceRaw / 2n + 7n }
  if (event.type === 'token_state') return { ...event, name: 'told again', creator: 'another' }
  return event.type === 'reserves' ? { ...event, virtualQuoteRaw: 1_234_567n } : null
}

function arrivalOf(random: Random, steps: readonly Step[], index: number): number {
  const step = steps[index]
  if (!step || step.creation === 'first') return index
  if (step.creation === 'soon') {
    const near = steps.filter(({ slot }, at) => at >= index && slot <= step.slot + 30)
    return index + random.integer(0, near.length - 1) + 0.1
  }
  if (step.creation !== null) return index + random.integer(3, 25) + 0.1
  if (!isPlaced(step.event)) return index
  if (random.chance(0.12)) return index + random.integer(1, 6) + 0.2
  return random.chance(0.01) ? index + random.integer(10, 30) + 0.2 : index
}

/** Some feeds know no slot, some no index in the block. */
function withGaps(
  random: Random,
  steps: readonly Step[],
  { event, creation, isPlaced: hasPlace }: Step,
): FeedEvent {
  if (creation === 'slotless' && event.type === 'token_created') return withoutSlot(random, event)
  if (!isPlaced(event) || creation !== null) return event
  const hasNoSlot = random.chance(0.04)
  const hasNoIndex = random.chance(0.06)
  if (hasPlace || isBesideCompletion(steps, event)) return event
  if (hasNoSlot) return withoutSlot(random, event)
  return hasNoIndex ? { ...event, txIndex: null } : event
}

/**
 * A curve swap of unknown place could come to stand after a `completed` that arrives later than the
 * window; whether the swap then shows 100 % is left open.
 */
function isBesideCompletion(steps: readonly Step[], event: FeedEvent): boolean {
  if (event.type !== 'swap' || event.source !== 'pump') return false
  return steps.some((step) => step.event.type === 'completed' && step.event.mint === event.mint)
}

/** The same event again, as it was or with another content under the same identity. */
function repeated(random: Random, event: FeedEvent): FeedEvent | null {
  if (event.type === 'swap' && random.chance(0.08)) {
    // No feed can tell more than a u64.
    const baseRaw = event.baseRaw > U64_MAX - 5n ? 5n : event.baseRaw + 5n
    const other: Partial<Swap> = { baseRaw, direction: 'sell' }
    return random.chance(0.5) ? event : { ...event, ...other, signer: 'someone else' }
  }
  if (event.type === 'token_created' && random.chance(0.1)) {
    return { ...event, name: 'second', creator: 'second creator', virtualQuoteRaw: 1n }
  }
  return event.type === 'completed' && random.chance(0.2) ? event : null
}
