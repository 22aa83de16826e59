import { useComputed } from '@preact/signals'
import { CopyIcon } from '../parts/copy-icon.tsx'
import { CopyNote } from '../parts/copy-note.ts'
import { short } from '../text/chain-text.ts'

/** One for all rows: what was copied last is one mint. */
export const copiedMint = new CopyNote()

/** Copies the mint of a row. No step of the Tab key, which goes from row to row: the key is `c`. */
export function RowCopy({ mint }: { readonly mint: string }) {
  const note = useComputed(() => {
    const { text, note } = copiedMint.told.value
    return text === mint ? note : ''
  })
  return (
    <button
      type="button"
      class="row-copy"
      tabIndex={-1}
      title={`Copy the mint ${mint} (c)`}
      aria-label={`Copy mint ${short(mint)}`}
      onClick={() => copiedMint.copy(mint)}
    >
      <CopyIcon isDone={note.value === 'copied'} />
      <span role="status">{note}</span>
    </button>
  )
}
