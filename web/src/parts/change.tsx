import type { Window } from '../../../client/src/mintfeed.ts'
import { exact, signedPercent } from '../text/number-form.ts'
import { signClass } from '../text/sign-class.ts'

/** How far a price went in a window, in percent; a dash where the service cannot read it. */
export function Change({
  value,
  window,
  cell,
}: {
  readonly value: number
  readonly window: Window
  readonly cell: string
}) {
  return (
    <span
      class={`change ${signClass(value)}`}
      data-cell={cell}
      title={`Price in ${window}: ${exact(value)}%`}
    >
      {signedPercent(value)}
    </span>
  )
}
