import { type TokenDetail, WINDOWS } from '../../../client/src/mintfeed.ts'
import { Change } from '../parts/change.tsx'
import { Sides, Traders, Volume } from '../parts/window-cells.tsx'
import { windowFigures } from '../parts/window-figures.ts'

/** The trades of a token in each of the five windows. */
export function WindowStrip({ detail }: { readonly detail: TokenDetail }) {
  return (
    <dl class="windows" aria-label="Windows">
      {WINDOWS.map((window) => {
        const figures = windowFigures(detail, window)
        return (
          <div key={window} data-window={window}>
            <dt>{window}</dt>
            <dd>
              <Change value={figures.priceChangePct} window={window} cell="change" />
              <Volume figures={figures} window={window} />
              <Sides figures={figures} window={window} />
              <Traders figures={figures} window={window} />
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
