import { link } from '../feed/connection.ts'
import { exact } from '../text/number-form.ts'
import { clockTime } from '../text/time-form.ts'

const WORDS = {
  connecting: 'Connecting',
  live: 'Live',
  reconnecting: 'Reconnecting',
  stale: 'Stale',
} as const

/** How fresh the numbers are: in words, with the position they stand at. */
export function LinkStatus() {
  const { state, seq, roundTripMs } = link.value
  return (
    <>
      <span class="status" data-state={state} role="status">
        {WORDS[state]}
      </span>
      {seq !== null && (
        <span title="Events the service has taken: what is shown stands here">
          seq <b data-cell="seq">{exact(seq)}</b>
        </span>
      )}
      {roundTripMs !== null && (
        <span class="wide-only">
          round trip <b>{Math.round(roundTripMs)} ms</b>
        </span>
      )}
      <span class="spring" />
      <span class="wide-only">
        <kbd>?</kbd> keys
      </span>
    </>
  )
}

/** Says that what is shown is not of now; the page heals by itself. */
export function LinkBanner() {
  const { state, lastSeconds } = link.value
  if (state === 'live' || state === 'connecting') return null
  if (lastSeconds === null)
    return (
      <p class="banner" role="alert">
        The live feed of the service is out of reach; the page keeps trying. A proxy in between has
        to let WebSocket through.
      </p>
    )
  return (
    <p class="banner" role="alert">
      The service is out of reach. Shown is {clockTime(lastSeconds)} UTC; the page reconnects by
      itself.
    </p>
  )
}
