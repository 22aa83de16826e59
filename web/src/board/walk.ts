import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { addKeys, leaveFocus } from '../frame/keyboard.ts'
import { go, tokenPath } from '../frame/route.ts'
import { copiedMint } from './row-copy.tsx'

interface Place<List> {
  readonly list: List
  readonly mint: string
}

/** The row of one of several lists that the keyboard is at. */
export interface Walk<List> {
  /** The mint it is at, in this list. */
  currentMint(list: List): string | null
  /** Told with the rows of a list, from its top. */
  shown(list: List, mints: readonly string[]): void
}

/**
 * Goes through rows by keys, from list to list too.
 *
 * @param tab the list where the keys begin; the one they went to last
 */
export function useWalk<List extends string>(
  lists: readonly List[],
  tab: Signal<List>,
): Walk<List> {
  const place = useSignal<Place<List> | null>(null)
  const shown = useRef(new Map<List, readonly string[]>()).current
  const step = (by: number) => {
    leaveFocus()
    const { list, mint } = place.value ?? { list: tab.value, mint: '' }
    const mints = shown.get(list) ?? []
    const at = Math.min(Math.max(mints.indexOf(mint) + by, 0), mints.length - 1)
    if (at >= 0) place.value = { list, mint: mints[at] }
  }
  const change = (by: number) => {
    leaveFocus()
    const from = lists.indexOf(place.value?.list ?? tab.value)
    const at = Math.min(Math.max(from + by, 0), lists.length - 1)
    // There is no list further on: the keys stay at their row.
    if (at === from && place.value !== null) return
    const list = lists[at]
    tab.value = list
    const mint = shown.get(list)?.at(0)
    place.value = mint === undefined ? null : { list, mint }
  }
  useEffect(
    () =>
      addKeys({
        j: () => step(1),
        k: () => step(-1),
        l: () => change(1),
        h: () => change(-1),
        Enter: () => {
          if (place.value !== null) go(tokenPath(place.value.mint))
        },
        c: () => {
          const mint = focusedMint() ?? place.value?.mint ?? ''
          if (mint !== '') void copiedMint.copy(mint)
        },
        Escape: () => {
          place.value = null
        },
      }),
    [],
  )
  return {
    currentMint: (list) => (place.value?.list === list ? place.value.mint : null),
    shown: (list, mints) => {
      shown.set(list, mints)
    },
  }
}

/** The mint of the row that has the focus. */
function focusedMint(): string | null {
  const row = document.activeElement?.closest<HTMLElement>('.row')
  return row?.dataset.mint ?? null
}
