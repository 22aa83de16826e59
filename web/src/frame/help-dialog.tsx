import { createRef } from 'preact'
import { useEffect } from 'preact/hooks'
import { route } from './route.ts'

const dialog = createRef<HTMLDialogElement>()

export function openHelp(): void {
  dialog.current?.showModal()
}

const KEYS: readonly (readonly [keys: readonly string[], what: string])[] = [
  [['/'], 'search a token by name, symbol or mint'],
  [['j', 'k'], 'next and previous row'],
  [['h', 'l'], 'column to the left and to the right'],
  [['Enter'], 'open the row'],
  [['c'], 'copy the mint of the row'],
  [['b', 'r', 'e'], 'board, trending, engine'],
  [['t'], 'light or dark'],
  [['Esc'], 'leave the search, the filters or the row'],
  [['?'], 'this list'],
]

/** The keys of the page. */
export function HelpDialog() {
  const { value } = route
  // The browser's buttons lead on while it is open, to a page that would lie dead behind it.
  useEffect(() => dialog.current?.close(), [value])
  return (
    <dialog ref={dialog} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {KEYS.map(([keys, what]) => (
          <>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" class="button main">
          Close
        </button>
      </form>
    </dialog>
  )
}
