/** Two sheets, or a tick for what was copied. */
export function CopyIcon({ isDone = false }: { readonly isDone?: boolean }) {
  return (
    <svg
      viewBox="0 0 16 16"
      width="12"
      height="12"
      fill="none"
      stroke="currentColor"
      aria-hidden="true"
    >
      <path d={isDone ? 'M2.5 8.5l4 4 7-9' : 'M5.5 5.5h8v8h-8zM10.5 5V2.5h-8v8H5'} />
    </svg>
  )
}
