import type { Swap } from '../../../client/src/mintfeed.ts'
import { exactUsd } from '../text/number-form.ts'

const UNPRICED = 'no price of what it is quoted in was known then'

/** The cell of dollars of a trade, exact on hover; a dash where none are known: they are no 0. */
export function TradeDollars({
  swap,
  value,
  form,
  style,
  cell,
}: {
  readonly swap: Swap
  readonly value: number
  readonly form: (value: number) => string
  readonly style: string
  readonly cell: 'usd' | 'cap'
}) {
  const isKnown = swap.priced !== false
  return (
    <td class={`number ${style}`} title={isKnown ? exactUsd(value) : UNPRICED} data-cell={cell}>
      {isKnown ? form(value) : '–'}
    </td>
  )
}
