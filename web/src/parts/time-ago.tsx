import { useComputed, useSignal } from '@preact/signals'
import { nowSeconds } from '../frame/now.ts'
import { age, exactTime } from '../text/time-form.ts'

/** How long ago something was, exact on hover. */
export function TimeAgo({
  seconds,
  class: name,
}: {
  readonly seconds: number
  readonly class?: string
}) {
  // A signal of its own: each second nothing but the text is looked at, and that only changes with what it says.
  const since = useSignal(seconds)
  since.value = seconds
  const text = useComputed(() => age(nowSeconds.value - since.value))
  return (
    <time class={name} dateTime={new Date(seconds * 1000).toISOString()} title={exactTime(seconds)}>
      {text}
    </time>
  )
}
