import { useMemo } from 'preact/hooks'
import { short } from '../text/chain-text.ts'
import { CopyIcon } from './copy-icon.tsx'
import { CopyNote } from './copy-note.ts'

/** An address in short; a click copies all of it. */
export function Copyable({ text, what }: { readonly text: string; readonly what: string }) {
  const copies = useMemo(() => new CopyNote(), [])
  return (
    <button
      type="button"
      class="button copyable"
      title={text}
      aria-label={`Copy ${what} ${short(text)}`}
      onClick={() => copies.copy(text)}
    >
      {short(text)}
      <CopyIcon />
      <span role="status">{copies.told.value.note}</span>
    </button>
  )
}
