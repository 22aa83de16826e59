import { signal } from '@preact/signals'

/** The service's unix second, for ages; it goes on by this browser's clock between frames. */
export const nowSeconds = signal(Math.floor(Date.now() / 1000))

let aheadSeconds = 0

/** Told with every frame that has a time: the clock of this machine may be wrong. */
export function serviceTimeIs(seconds: number): void {
  aheadSeconds = seconds - Date.now() / 1000
}

export function keepTime(): void {
  setInterval(() => {
    nowSeconds.value = Math.floor(Date.now() / 1000 + aheadSeconds)
  }, 1000)
}
