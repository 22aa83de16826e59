import { useLayoutEffect, useRef } from 'preact/hooks'

/**
 * Gives the focus that went with the page before to the main part of the one that came, so that keys and
 * screen readers go on there. Who is in the search or at a link above stays where they are.
 */
export function useFocusOf(path: string): void {
  const isFirst = useRef(true)
  useLayoutEffect(() => {
    if (!isFirst.current && document.activeElement === document.body)
      document.getElementById('main')?.focus({ preventScroll: true })
    isFirst.current = false
  }, [path])
}
