import type { HeldOrder } from './held-order.ts'

/** A finger that is lifted has gone before its tap is a click: the rows wait for that, in ms. */
const LIFTED_MS = 400

/** What the element that has the rows tells of who is at them. */
export function holding<T>(order: HeldOrder<T>) {
  let lifted = 0
  return {
    onScroll: ({ currentTarget }: { readonly currentTarget: Element }) =>
      order.scrolled(currentTarget.scrollTop),
    // A finger is there from its touch on.
    onPointerEnter: () => {
      clearTimeout(lifted)
      order.pointedAt(true)
    },
    onPointerLeave: ({ pointerType }: PointerEvent) => {
      if (pointerType === 'mouse') order.pointedAt(false)
      else lifted = setTimeout(() => order.pointedAt(false), LIFTED_MS)
    },
    // A row that was clicked has the focus as well, and its reader may be elsewhere by now.
    onFocusIn: ({ target }: FocusEvent) =>
      order.focused(target instanceof Element && target.matches(':focus-visible')),
    onFocusOut: () => order.focused(false),
  }
}
