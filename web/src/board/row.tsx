import { Component } from 'preact'
import type { TableRow } from '../../../client/src/mintfeed.ts'
import { tokenPath } from '../frame/route.ts'
import { Avatar } from '../parts/avatar.tsx'
import { FlashUsd } from '../parts/flash.tsx'
import { SocialMarks } from '../parts/social-marks.tsx'
import { TimeAgo } from '../parts/time-ago.tsx'
import { shown, shownName } from '../text/chain-text.ts'
import { compact, completion, exact, exactUsd, money } from '../text/number-form.ts'
import { parseTime } from '../text/time-form.ts'
import { ROW_HEIGHT } from './column-rows.ts'
import { RowCopy } from './row-copy.tsx'
import { RowSpark } from './row-spark.tsx'
import { ShareBars } from './share-bars.tsx'

interface RowProps {
  readonly row: TableRow
  readonly index: number
  readonly isGone: boolean
  readonly isCurrent: boolean
}

/** One token in its place. */
export function Row({ row, index, isGone, isCurrent }: RowProps) {
  return (
    <li
      class={isGone ? 'row gone' : 'row'}
      data-mint={row.mint}
      aria-current={isCurrent ? 'true' : undefined}
      style={{ transform: `translateY(${index * ROW_HEIGHT}px)` }}
    >
      <a href={tokenPath(row.mint)}>
        <RowBody row={row} />
      </a>
      <RowCopy mint={row.mint} />
    </li>
  )
}

/**
 * What is in a row; it is only made anew when the row's numbers changed. A kept element would do
 * that as well, but holds the tree it was first drawn in, whose elements hold still older ones: the
 * page would remember everything it ever showed.
 */
class RowBody extends Component<{ readonly row: TableRow }> {
  override shouldComponentUpdate({ row }: { readonly row: TableRow }): boolean {
    return row !== this.props.row
  }

  render({ row }: { readonly row: TableRow }) {
    return <RowCells row={row} />
  }
}

function RowCells({ row }: { readonly row: TableRow }) {
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
        <FlashUsd value={row.market_cap} cell="cap" />
      </span>
      <span class="facts">
        <TimeAgo class="age" seconds={createdAt} />
        <span title={`${exact(row.holders)} holders`}>
          <span class="label">H</span> <span data-cell="holders">{compact(row.holders)}</span>
        </span>
        <span
          class="sides"
          title={`${counted(row.tx_24h_buy, 'buy')}, ${counted(row.tx_24h_sell, 'sell')} in 24 h`}
        >
          <span class="label">B</span>{' '}
          <span class={row.tx_24h_buy === 0 ? 'none' : 'up'} data-cell="buys">
            {compact(row.tx_24h_buy)}
          </span>{' '}
          <span class="label">S</span>{' '}
          <span class={row.tx_24h_sell === 0 ? 'none' : 'down'} data-cell="sells">
            {compact(row.tx_24h_sell)}
          </span>
        </span>
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
        <span title={volumeText(row)}>
          <span class="label">V</span> <span data-cell="volume">{money(row.vol_24h)}</span>
        </span>
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

/** `1 buy`, `1,200 buys`. */
function counted(count: number, what: string): string {
  return `${exact(count)} ${what}${count === 1 ? '' : 's'}`
}

function volumeText({ vol_24h, vol_24_buy, vol_24_sell }: TableRow): string {
  const sides = `${exactUsd(vol_24_buy)} bought, ${exactUsd(vol_24_sell)} sold`
  return `Volume of 24 h: ${exactUsd(vol_24h)}, ${sides}`
}
