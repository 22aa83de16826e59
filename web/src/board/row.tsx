import { Component, type ComponentChild } from 'preact'
import type { TableRow, Window } from '../../../client/src/mintfeed.ts'
import { tokenPath } from '../frame/route.ts'
import { Avatar } from '../parts/avatar.tsx'
import { Change } from '../parts/change.tsx'
import { FlashUsd } from '../parts/flash.tsx'
import { SocialMarks } from '../parts/social-marks.tsx'
import { TimeAgo } from '../parts/time-ago.tsx'
import { Sides, Traders, Volume } from '../parts/window-cells.tsx'
import { windowFigures } from '../parts/window-figures.ts'
import { shown, shownName } from '../text/chain-text.ts'
import { compact, completion, exact } from '../text/number-form.ts'
import { parseTime } from '../text/time-form.ts'
import { ROW_HEIGHT } from './column-rows.ts'
import { RowCopy } from './row-copy.tsx'
import { RowSpark } from './row-spark.tsx'
import { ShareBars } from './share-bars.tsx'

/** What stands behind a row's own figures, where there is room. */
export type RowAside<T extends TableRow> = (props: { readonly row: T }) => ComponentChild

interface RowProps<T extends TableRow> {
  readonly row: T
  /** Whose figures it shows. */
  readonly window: Window
  readonly index: number
  readonly isGone: boolean
  readonly isCurrent: boolean
  readonly Aside: RowAside<T> | null
}

/** One token in its place. */
export function Row<T extends TableRow>(props: RowProps<T>) {
  const { row, window, index, isGone, isCurrent, Aside } = props
  return (
    <li
      class={isGone ? 'row gone' : 'row'}
      data-mint={row.mint}
      aria-current={isCurrent ? 'true' : undefined}
      style={{ transform: `translateY(${index * ROW_HEIGHT}px)` }}
    >
      <a href={tokenPath(row.mint)}>
        <RowBody row={row} window={window} Aside={Aside} />
      </a>
      <RowCopy mint={row.mint} />
    </li>
  )
}

type BodyProps<T extends TableRow> = Pick<RowProps<T>, 'row' | 'window' | 'Aside'>

/**
 * What is in a row; it is only made anew when the row's numbers changed. A kept element would do
 * that as well, but holds the tree it was first drawn in, whose elements hold still older ones: the
 * page would remember everything it ever showed.
 */
class RowBody<T extends TableRow> extends Component<BodyProps<T>> {
  override shouldComponentUpdate({ row, window }: BodyProps<T>): boolean {
    return row !== this.props.row || window !== this.props.window
  }

  render({ row, window, Aside }: BodyProps<T>) {
    return (
      <>
        <RowCells row={row} window={window} />
        {Aside !== null && <Aside row={row} />}
      </>
    )
  }
}

function RowCells({ row, window }: { readonly row: TableRow; readonly window: Window }) {
  const figures = windowFigures(row, window)
  const createdAt = parseTime(row.timestamp) ?? 0
  const graduated = row.creator_completed_pools
  // Two numbers with a slash read as a part of a whole.
  const created = graduated + row.creator_completing_pools
  const curve = `Bonding curve ${exact(row.pct_completion)}%`
  return (
    <>
      <Avatar mint={row.mint} symbol={row.symbol} image={row.image} />
      <span class="title">
        <bdi class="symbol">{shownName(row.symbol, row.mint)}</bdi>
        <bdi class="name">{shown(row.name)}</bdi>
        <span class="socials">
          <SocialMarks links={row} />
        </span>
        <Change value={figures.priceChangePct} window={window} cell="change" />
        <FlashUsd value={row.market_cap} cell="cap" />
      </span>
      <span class="facts">
        <TimeAgo class="age" seconds={createdAt} />
        <span title={`${exact(row.holders)} holders`}>
          <span class="label">H</span> <span data-cell="holders">{compact(row.holders)}</span>
        </span>
        <Sides figures={figures} window={window} />
        <Traders figures={figures} window={window} />
        <span
          class="migrated"
          title={`${exact(graduated)} of ${exact(created)} tokens of this creator graduated`}
        >
          <span class="label">MIG</span>{' '}
          <span data-cell="creator">
            {compact(graduated)}/{compact(created)}
          </span>
        </span>
      </span>
      <span class="volume">
        <Volume figures={figures} window={window} />
        <i class="progress" title={curve} style={{ '--part': String(row.pct_completion / 100) }} />
        <span data-cell="progress" title={curve}>
          {completion(row.pct_completion)}
        </span>
      </span>
      <span class="lower">
        <ShareBars row={row} />
        <RowSpark mint={row.mint} />
      </span>
    </>
  )
}
