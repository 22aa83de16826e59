import { signal } from '@preact/signals'
import type { Fetch } from '../../../client/src/mintfeed.ts'
import { type RateWindow, rateWindow, withWindow } from './rate-window.ts'

/** By endpoint, the one asked last at the end. Empty: nothing was asked, or there is no limit. */
export const rateWindows = signal<ReadonlyMap<string, RateWindow>>(new Map())

/** The browser's fetch, which remembers what `X-RateLimit-*` said. */
export const notingFetch: Fetch = async (url, init) => {
  const answer = await fetch(url, init)
  const path = new URL(url, location.origin).pathname
  const window = rateWindow(path, (name) => answer.headers.get(name), Date.now())
  if (window !== null) rateWindows.value = withWindow(rateWindows.value, window)
  return answer
}
