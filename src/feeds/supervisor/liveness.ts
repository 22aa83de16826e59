import { AHEAD_OF_WALL_SECONDS_MAX } from '../../events/event.ts'
import type { SourceRun } from './source-run.ts'

/** A loss that lasts longer is said in `/readyz`. */
const LOST_MS = 10_000
/** Slots that wait for so long while none is handed over are said in `/readyz`. */
const STUCK_MS = 60_000
/** The two programs have a hundred transactions a second: without one for so long it is said too. */
const QUIET_MS = 60_000
/** The handed-over events may lie behind the chain's newest by the slots of this time and count as live. */
const BEHIND_MS_MAX = 60_000
/**
 * Seconds that they may be old: a server that lags delivers no later slot. The chain's own clock is off by
 * less.
 */
const BEHIND_SECONDS_MAX = 120

/** What says whether the events that are handed over are those of the chain now. */
interface Liveness {
  readonly runs: readonly SourceRun[]
  /** Below 0: what was recovered lies ahead of what the sources deliver. */
  readonly slotsBehind: number
  /** Milliseconds that a slot takes. */
  readonly slotMs: number
  /** How far the chain's times lie ahead of the clock of this machine, and how old they are. */
  readonly aheadSeconds: number
  readonly lagSeconds: number
  readonly bufferedSlots: number
  /** The last slot that was handed over whole; null: none yet. */
  readonly cursor: number | null
  /** How long it has been the last one. */
  readonly standsMs: number
}

/** Those connected now that know slots. */
export function fullRuns(runs: readonly SourceRun[]): readonly SourceRun[] {
  return runs.filter((run) => run.isConnected && !run.source.isDegraded)
}

/** Why what is served is not that of the chain now, in one sentence; null: it is. */
export function whyNotLive(liveness: Liveness): string | null {
  const { runs, slotsBehind, slotMs, aheadSeconds, bufferedSlots, standsMs } = liveness
  const behindMs = slotsBehind * slotMs
  const lost = runs.filter((run) => run.lostMs >= LOST_MS)
  if (lost.length === runs.length)
    return `No feed is connected (${lost.map((run) => `${run.source.name}: ${run.reason}`).join('; ')}).`
  if (behindMs < -BEHIND_MS_MAX)
    return `The chain is ${-slotsBehind} slots behind what DATA_DIR holds: is that of another feed?`
  if (aheadSeconds > AHEAD_OF_WALL_SECONDS_MAX)
    return (
      `The chain is ${aheadSeconds} s ahead of the clock of this machine, and events more ` +
      `than ${AHEAD_OF_WALL_SECONDS_MAX} s ahead wait: set the clock.`
    )
  if (behindMs > BEHIND_MS_MAX)
    return `The feed is ${slotsBehind} slots behind the chain, ${seconds(behindMs)} s.`
  if (bufferedSlots > 0 && standsMs >= STUCK_MS)
    return `Slots are told, but none could be handed over for ${seconds(standsMs)} s.`
  const full = fullRuns(runs)
  return full.length === 0 ? whyPartial(runs) : whyOld(full, liveness)
}

/** Why those that know no slots, where no other is connected, do not deliver what they were asked for. */
function whyPartial(runs: readonly SourceRun[]): string | null {
  for (const { isConnected, source } of runs) {
    const complaint = isConnected ? (source.complaint ?? null) : null
    if (complaint !== null)
      return `The feed lacks what was asked for (${source.name}: ${complaint}).`
  }
  return null
}

/** Why what the connected sources deliver is not what happens now. */
function whyOld(
  full: readonly SourceRun[],
  { lagSeconds, cursor, standsMs }: Liveness,
): string | null {
  if (lagSeconds > BEHIND_SECONDS_MAX)
    return (
      `What the feed tells is ${lagSeconds} s old by the clock of this machine: the feed lags behind ` +
      'the chain, or the clock is ahead.'
    )
  const quietMs = Math.min(...full.map((run) => run.quietMs))
  if (quietMs >= QUIET_MS)
    return `Slots are told, but for ${seconds(quietMs)} s no transaction in them.`
  const oldMs = Math.min(standsMs, Math.max(...full.map((run) => run.connectedMs)))
  if (oldMs >= STUCK_MS && cursor !== null)
    return (
      `For ${seconds(oldMs)} s nothing newer was told than slot ${cursor}, the last one handed over: ` +
      'the server lags.'
    )
  return null
}

function seconds(ms: number): number {
  return Math.round(ms / 1000)
}
