import { link } from '../feed/connection.ts'
import { heldUp } from '../feed/held-up.ts'
import { exact } from '../text/number-form.ts'
import { age, exactTime } from '../text/time-form.ts'
import { IS_SIMULATED } from './market.ts'

const WORDS = {
  connecting: 'Connecting',
  live: 'Live',
  late: 'Late',
  reconnecting: 'Reconnecting',
  stale: 'Stale',
} as const

/** How fresh the numbers are: in words, with the position they stand at. */
export function LinkStatus() {
  const { seq, roundTripMs } = link.value
  const state = link.value.state === 'live' && heldUp.value !== null ? 'stale' : link.value.state
  return (
    <>
      <span class="status" data-state={state} role="status">
        {WORDS[state]}
      </span>
      {IS_SIMULATED && (
        <span class="simulated" title="No token, wallet or price is real: all of it is of FEED=sim">
          Simulated market
        </span>
      )}
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
  const { state, lastSeconds, roundTripMs } = link.value
  if (state === 'late')
    return (
      <p class="banner" role="alert">
        What is shown is late
        <span aria-hidden="true"> by {age((roundTripMs ?? 0) / 1000)}</span>: there is more to tell
        than the line brings, or the service is slow.
      </p>
    )
  if (state === 'live' || state === 'connecting') return <HeldUpBanner />
  if (lastSeconds === null)
    return (
      <p class="banner" role="alert">
        The live feed of the service is out of reach; the page keeps trying. A proxy in between has
        to let WebSocket through.
      </p>
    )
  return (
    <p class="banner" role="alert">
      The service is out of reach. Shown is {exactTime(lastSeconds)}; the page reconnects by itself.
    </p>
  )
}

/** Says so when the live feed is there but what is read beside it is not. */
function HeldUpBanner() {
  if (heldUp.value === null) return null
  const { lastSeconds } = heldUp.value
  return (
    <p class="banner" role="alert">
      {lastSeconds === null
        ? 'Figures are waited for: the rate limit or the network holds them up.'
        : `Some figures are of ${exactTime(lastSeconds)}: the rate limit or the network holds up newer ones.`}
    </p>
  )
}
