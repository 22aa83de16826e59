import { signal } from '@preact/signals'
import { type LiveStatus, Mintfeed } from '../../../client/src/mintfeed.ts'
import { nextBeat } from '../frame/beat.ts'
import { notingFetch } from './rate-windows.ts'

/** Someone is looking: the page comes back sooner than a program has to. */
const BACKOFF = { firstMs: 250, longestMs: 2_000 }

/** A connection on which nothing is heard for so long is given up, in ms; a third of it lies between two pings. */
const SILENCE_MS = 30_000
/** Pings are answered at once: a link on which nothing is heard for longer than this is told, in ms. */
const UNHEARD_MS = SILENCE_MS / 3 + 3_000
/** A round trip that takes longer than this is told, in ms: all that came last is late by it. */
const LATE_MS = 5_000
const LOOK_MS = 1_000

const mintfeed = new Mintfeed(location.origin, {
  backoff: BACKOFF,
  fetch: notingFetch,
  silenceMs: SILENCE_MS,
  openSocket: listenedSocket,
})

/** Reads of the moment. */
export const client = mintfeed.read
/** What is live. */
export const live = mintfeed.live

/** A link that is down, or does not come, for longer than this is told, in ms. */
const STALE_MS = 5_000

export interface Link {
  readonly state: 'connecting' | 'live' | 'late' | 'reconnecting' | 'stale'
  /** Position of the newest state that is shown; null before the first, and where what is shown has none. */
  readonly seq: number | null
  /** Unix second of the newest frame; null before the first. */
  readonly lastSeconds: number | null
  readonly roundTripMs: number | null
  readonly lagMs: number | null
}

export const link = signal<Link>({
  state: 'connecting',
  seq: null,
  lastSeconds: null,
  roundTripMs: null,
  lagMs: null,
})

let staleTimer = 0
let heardMs = performance.now()
let isUnheard = false

live.onChange(statusChanged)
setInterval(() => {
  lookForSilence()
  lookForLateness()
}, LOOK_MS)

/** A socket whose silence is noticed long before it is given up: a service that hangs closes nothing. */
function listenedSocket(url: string): WebSocket {
  const socket = new WebSocket(url)
  socket.addEventListener('open', somethingCame)
  socket.addEventListener('message', somethingCame)
  return socket
}

function somethingCame(): void {
  heardMs = performance.now()
  if (!isUnheard) return
  isUnheard = false
  statusChanged(live.status)
}

function lookForSilence(): void {
  const { connections, open } = live.status
  if (connections === 0 || open < connections || !isUp()) return
  if (performance.now() - heardMs < UNHEARD_MS) return
  isUnheard = true
  link.value = { ...link.value, state: 'stale' }
}

/** A line that brings less than there is to tell is never silent, and shows a market of some time ago. */
function lookForLateness(): void {
  const { roundTripMs } = live.status
  if (!isUp() || roundTripMs === null) return
  const isLate = roundTripMs >= LATE_MS
  if (!isLate && link.value.state === 'live') return
  link.value = { ...link.value, state: isLate ? 'late' : 'live', roundTripMs }
}

/** The link is there, whatever it brings. */
function isUp(): boolean {
  return link.value.state === 'live' || link.value.state === 'late'
}

/** A read is of another stream than what is shown, which the link tells by itself while it is there. */
export function isOtherStream(shown: string | null, read: string | null): boolean {
  return shown !== null && read !== null && read !== shown && !isUp()
}

function statusChanged({ connections, open }: LiveStatus): void {
  if (connections === 0) return
  if (open === connections) {
    clearTimeout(staleTimer)
    staleTimer = 0
    if (!isUp()) link.value = { ...link.value, state: 'live' }
    return
  }
  if (isUp()) {
    link.value = { ...link.value, state: 'reconnecting' }
    clearTimeout(staleTimer)
    staleTimer = 0
  }
  // Also a link that never came: a proxy in between may let no WebSocket through.
  if (staleTimer !== 0 || link.value.state === 'stale') return
  staleTimer = setTimeout(() => {
    staleTimer = 0
    link.value = { ...link.value, state: 'stale' }
  }, STALE_MS)
}

/** Something was heard since the last beat: the newest of it stands at this position. */
let isHeard = false
let heardSeq: number | null = null

/** Told with everything that came: where the page now stands; null: it does not say. Shown with the next beat. */
export function heard(seq: number | null): void {
  if (!isHeard) void nextBeat().then(tellHeard)
  isHeard = true
  heardSeq = seq
}

function tellHeard(): void {
  isHeard = false
  const { roundTripMs, lagMs } = live.status
  const lastSeconds = Math.floor(Date.now() / 1000)
  link.value = { ...link.value, seq: heardSeq, lastSeconds, roundTripMs, lagMs }
}
