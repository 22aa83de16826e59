import { signal } from '@preact/signals'
import { client } from '../feed/connection.ts'
import { nextBeat } from './beat.ts'
import { route } from './route.ts'

/** Ages are drawn anew this often, in ms. */
const TICK_MS = 1_000
/** The service is asked for its time when nothing told it for so long, in ms. */
const UNTOLD_MS = 10_000
/** The time that is shown is set at once when it is off by more, in seconds. */
const OFF_SECONDS = 1

/** The service's unix second, for ages; it goes on by this browser's clock between frames. */
export const nowSeconds = signal(Math.floor(Date.now() / 1000))

let aheadSeconds = 0
let toldMs = Number.NEGATIVE_INFINITY

/** Told with every frame that has a time: the clock of this machine may be wrong, that of a recording is another. */
export function serviceTimeIs(seconds: number): void {
  toldMs = performance.now()
  aheadSeconds = seconds - Date.now() / 1000
  if (Math.abs(seconds - nowSeconds.peek()) > OFF_SECONDS) nowSeconds.value = seconds
}

/** Runs as long as the page. */
export async function keepTime(): Promise<void> {
  for (;;) {
    if (hasAges() && performance.now() - toldMs >= UNTOLD_MS) void askTime()
    await nextBeat(TICK_MS)
    nowSeconds.value = Math.floor(Date.now() / 1000 + aheadSeconds)
  }
}

/** Pages of ages that no table comes to. */
function hasAges(): boolean {
  const { page } = route.peek()
  return page === 'token' || page === 'wallet'
}

async function askTime(): Promise<void> {
  toldMs = performance.now()
  const answer = await client.udfTime()
  const seconds = answer.ok ? Number(answer.data) : Number.NaN
  if (Number.isSafeInteger(seconds)) serviceTimeIs(seconds)
}
