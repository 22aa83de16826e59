import { useEffect, useRef } from 'preact/hooks'
import { nextBeat } from '../frame/beat.ts'
import { SLOW_BEAT_MS } from '../frame/beat-times.ts'
import { exactUsd, usd } from '../text/number-form.ts'

/**
 * Dollars that light up for a moment when they change, in the colour of the direction. No
 * animation: it would have every frame painted anew for a tint that nobody sees fade.
 */
export function FlashUsd({ value, cell }: { readonly value: number; readonly cell: string }) {
  const element = useRef<HTMLSpanElement>(null)
  const before = useRef(value)
  useEffect(() => {
    const last = before.current
    before.current = value
    if (last === value) return
    let isNewest = true
    void lightUp(element.current, value > last ? 'rose' : 'fell', () => isNewest)
    return () => {
      isNewest = false
    }
  }, [value])
  return (
    <span ref={element} class="cap" data-cell={cell} title={exactUsd(value)}>
      {usd(value)}
    </span>
  )
}

async function lightUp(
  element: HTMLElement | null,
  flash: 'rose' | 'fell',
  isNewest: () => boolean,
): Promise<void> {
  if (element === null) return
  element.dataset.flash = flash
  await nextBeat(SLOW_BEAT_MS)
  if (isNewest()) delete element.dataset.flash
}
