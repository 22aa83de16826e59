import { useEffect, useRef } from 'preact/hooks'
import { usd } from '../text/number-form.ts'

const FLASH_MS = 700

/** Dollars that light up for a moment when they change, in the colour of the direction. */
export function FlashUsd({ value, cell }: { readonly value: number; readonly cell: string }) {
  const element = useRef<HTMLSpanElement>(null)
  const before = useRef(value)
  useEffect(() => {
    const last = before.current
    before.current = value
    if (last === value) return
    const name = value > last ? '--up-flash' : '--down-flash'
    const colour = getComputedStyle(document.documentElement).getPropertyValue(name)
    element.current?.animate([{ backgroundColor: colour }, { backgroundColor: 'transparent' }], {
      duration: FLASH_MS,
      easing: 'ease-out',
    })
  }, [value])
  return (
    <span ref={element} class="cap" data-cell={cell} title={`$${value.toLocaleString('en-US')}`}>
      {usd(value)}
    </span>
  )
}
