/** Keys of the whole page. A page adds its own while it is shown. */
export type Keys = Readonly<Record<string, () => void>>

const layers: Keys[] = []

/** Listens to keys until the returned function is called; the latest layer goes first. */
export function addKeys(keys: Keys): () => void {
  layers.unshift(keys)
  return () => {
    const at = layers.indexOf(keys)
    if (at >= 0) layers.splice(at, 1)
  }
}

/** Someone who types into a field, presses a button or uses a shortcut of the browser, means that. */
export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    if (event.key === 'Enter' && isPressable(event.target)) return
    const own = layers.find((keys) => Object.hasOwn(keys, event.key))
    if (own === undefined) return
    event.preventDefault()
    own[event.key]()
  })
}

/** Enter follows the link and presses the button that has the focus. */
function isPressable(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('a,button,summary') !== null
}

/** Who goes through rows by keys has left the link or button that had the focus: Enter is the row's. */
export function leaveFocus(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    // A dialog that was just closed keeps the focus until the next frame.
    (target.closest('input,select,textarea,dialog[open]') !== null || target.isContentEditable)
  )
}
