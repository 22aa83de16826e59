import type { ComponentChildren } from 'preact'

/** What a panel says while it has nothing to show: never a blank. */
export function Note({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <p class="note" role="status">
      <b>{title}</b>
      {children}
    </p>
  )
}
