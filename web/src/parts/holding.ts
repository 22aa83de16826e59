import type { HeldOrder } from './held-order.ts'

/** What the element that has the rows tells of who is at them. */
export function holding<T>(order: HeldOrder<T>) {
  return {
    onScroll: ({ currentTarget }: { readonly currentTarget: Element }) =>
      order.scrolled(currentTarget.scrollTop),
    onPointerEnter: ({ pointerType }: PointerEvent) => order.pointedAt(pointerType === 'mouse'),
    onPointerLeave: () => order.pointedAt(false),
    // A row that was clicked has the focus as well, and its reader may be elsewhere by now.
    onFocusIn: ({ target }: FocusEvent) =>
      order.focused(target instanceof Element && target.matches(':focus-visible')),
    onFocusOut: () => order.focused(false),
  }
}
