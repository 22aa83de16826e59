import { useSignal } from '@preact/signals'
import { short } from '../text/chain-text.ts'
import { copyText } from './clipboard.ts'

/** How long "copied" is shown, in ms. */
const SHOWN_MS = 1_500

/** An address in short; a click copies all of it. */
export function Copyable({ text, what }: { readonly text: string; readonly what: string }) {
  const note = useSignal('')
  const copy = async () => {
    note.value = (await copyText(text)) ? 'copied' : 'not allowed here'
    setTimeout(() => {
      note.value = ''
    }, SHOWN_MS)
  }
  return (
    <button
      type="button"
      class="button copyable"
      title={text}
      aria-label={`Copy ${what} ${short(text)}`}
      onClick={copy}
    >
      {short(text)}
      <svg
        viewBox="0 0 16 16"
        width="12"
        height="12"
        fill="none"
        stroke="currentColor"
        aria-hidden="true"
      >
        <path d="M5.5 5.5h8v8h-8zM10.5 5V2.5h-8v8H5" />
      </svg>
      <span role="status">{note}</span>
    </button>
  )
}
