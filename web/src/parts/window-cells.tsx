import type { Window } from '../../../client/src/mintfeed.ts'
import { compact, exact, exactUsd, money } from '../text/number-form.ts'
import type { WindowFigures } from './window-figures.ts'

interface WindowProps {
  readonly figures: WindowFigures
  readonly window: Window
}

/** Buys and sells in a window. */
export function Sides({ figures: { buys, sells }, window }: WindowProps) {
  return (
    <span class="sides" title={`${counted(buys, 'buy')}, ${counted(sells, 'sell')} in ${window}`}>
      <span class="label">B</span>{' '}
      <span class={buys > 0 ? 'up' : 'none'} data-cell="buys">
        {compact(buys)}
      </span>{' '}
      <span class="label">S</span>{' '}
      <span class={sells > 0 ? 'down' : 'none'} data-cell="sells">
        {compact(sells)}
      </span>
    </span>
  )
}

/** Wallets that traded in a window. */
export function Traders({ figures: { traders }, window }: WindowProps) {
  return (
    <span title={`${counted(traders, 'trader')} in ${window}`}>
      <span class="label">T</span> <span data-cell="traders">{compact(traders)}</span>
    </span>
  )
}

/** Dollars traded in a window. */
export function Volume({ figures, window }: WindowProps) {
  const { volumeUsd, volumeBuyUsd, volumeSellUsd } = figures
  const sides = `${exactUsd(volumeBuyUsd)} bought, ${exactUsd(volumeSellUsd)} sold`
  return (
    <span title={`Volume in ${window}: ${exactUsd(volumeUsd)}, ${sides}`}>
      <span class="label">V</span> <span data-cell="volume">{money(volumeUsd)}</span>
    </span>
  )
}

/** `1 buy`, `1,200 buys`. */
function counted(count: number, what: string): string {
  return `${exact(count)} ${what}${count === 1 ? '' : 's'}`
}
