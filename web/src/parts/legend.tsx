import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { HOLDING_SHARES } from './holding-shares.ts'

type Entry = readonly [mark: string, what: string]

/** What else stands in a row of the board, from its left to its right. */
const ROW_MARKS: readonly Entry[] = [
  ['H', 'wallets that hold it'],
  ['B', 'buys in the window'],
  ['S', 'sells in the window'],
  ['T', 'wallets that traded it in the window'],
  ['MIG', 'tokens of its creator that graduated / all of its creator'],
  ['V', 'volume in the window'],
  ['+5%', 'how far its price went in the window, chosen above the columns'],
  ['X TG WEB DC', 'links to X, Telegram, a website, Discord'],
]

/** Opens what the marks of rows and wallets mean. */
export function LegendButton() {
  const isShown = useSignal(false)
  const dialog = useRef<HTMLDialogElement>(null)
  const open = () => {
    isShown.value = true
    // One that was closed just now is still there, since its event comes later.
    dialog.current?.showModal()
  }
  return (
    <>
      <button type="button" class="button" onClick={open}>
        Legend
      </button>
      {isShown.value && (
        <LegendDialog
          dialog={dialog}
          onClose={() => (isShown.value = dialog.current?.open ?? false)}
        />
      )}
    </>
  )
}

function LegendDialog({
  dialog,
  onClose,
}: {
  readonly dialog: RefObject<HTMLDialogElement | null>
  readonly onClose: () => void
}) {
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="legend-dialog" aria-label="Legend" onClose={onClose}>
      {/* Else the button below has the focus, and what is to be read is scrolled away. */}
      <h2 tabIndex={-1} autofocus>
        Legend
      </h2>
      <h3>Percent of the supply that these hold; the same marks stand at wallets</h3>
      <dl class="keys">
        {HOLDING_SHARES.map(({ mark, name, why, high }) => (
          <>
            <dt>{mark}</dt>
            <dd>
              <b>{name}</b>: {why} {high !== null && <span>marked from {high}% on</span>}
            </dd>
          </>
        ))}
      </dl>
      <h3>In a row of the board</h3>
      <dl class="keys">
        {ROW_MARKS.map(([mark, what]) => (
          <>
            <dt>{mark}</dt>
            <dd>{what}</dd>
          </>
        ))}
        <dt>Bar</dt>
        <dd>how much of its bonding curve is sold; at 100% it graduates</dd>
        <dt>Line</dt>
        <dd>its price of late, green where it rose</dd>
      </dl>
      <form method="dialog">
        <button type="submit" class="button main">
          Close
        </button>
      </form>
    </dialog>
  )
}
