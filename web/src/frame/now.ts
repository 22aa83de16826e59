import { signal } from '@preact/signals'
import { nextBeat } from './beat.ts'

/** Ages are drawn anew this often, in ms. */
const TICK_MS = 1_000

/** The service's unix second, for ages; it goes on by this browser's clock between frames. */
export const nowSeconds = signal(Math.floor(Date.now() / 1000))

let aheadSeconds = 0

/** Told with every frame that has a time: the clock of this machine may be wrong. */
export function serviceTimeIs(seconds: number): void {
  aheadSeconds = seconds - Date.now() / 1000
}

/** Runs as long as the page. */
export async function keepTime(): Promise<void> {
  for (;;) {
    await nextBeat(TICK_MS)
    nowSeconds.value = Math.floor(Date.now() / 1000 + aheadSeconds)
  }
}
