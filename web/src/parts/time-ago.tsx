import { useComputed } from '@preact/signals'
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
  const text = useComputed(() => age(nowSeconds.value - seconds))
  return (
    <time class={name} dateTime={new Date(seconds * 1000).toISOString()} title={exactTime(seconds)}>
      {text}
    </time>
  )
}
