import type { TraderRecord } from '../../../client/src/mintfeed.ts'
import { tokenPath } from '../frame/route.ts'
import type { ShownRow } from '../parts/held-rows.ts'
import { TimeAgo } from '../parts/time-ago.tsx'
import { WalletLink } from '../parts/wallet-link.tsx'
import { short, shownName } from '../text/chain-text.ts'
import { compact, money, percent, signedMoney } from '../text/number-form.ts'
import { signClass } from '../text/sign-class.ts'

const COLUMNS = {
  wallet: 'Wallet',
  token: 'Token',
  holding: 'Holds',
  worth: 'Worth',
  bought: 'Bought',
  sold: 'Sold',
  trades: 'Trades',
  pnl: 'PnL',
  active: 'Active',
  mark: 'Mark',
} as const
export type RecordColumn = keyof typeof COLUMNS

const TEXT_COLUMNS: readonly RecordColumn[] = ['wallet', 'token']
/** Left out where there is no room for them: the profit says what came of both. */
const WIDE_COLUMNS: readonly RecordColumn[] = ['bought', 'sold']

/** Trader records, with the columns that the place needs. */
export function RecordTable({
  records,
  columns,
  marked = '',
  onMark = () => {},
}: {
  readonly records: readonly ShownRow<TraderRecord>[]
  readonly columns: readonly RecordColumn[]
  /** The wallet whose trades are marked on the chart. */
  readonly marked?: string
  readonly onMark?: (wallet: string) => void
}) {
  return (
    <table class="table">
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col" class={headClass(column)}>
              {COLUMNS[column]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {records.map(({ row: record, isGone }) => (
          <tr
            key={recordKey(record)}
            class={isGone ? 'gone' : undefined}
            data-wallet={record.wallet}
            data-mint={record.mint}
          >
            {columns.map((column) => (
              <Cell
                key={column}
                column={column}
                record={record}
                isMarked={record.wallet === marked}
                onMark={onMark}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Tells a record from all others. */
export function recordKey({ wallet, mint }: TraderRecord): string {
  return `${wallet} ${mint}`
}

function headClass(column: RecordColumn): string | undefined {
  if (TEXT_COLUMNS.includes(column)) return undefined
  return WIDE_COLUMNS.includes(column) ? 'number wide-only' : 'number'
}

function Cell({
  column,
  record,
  isMarked,
  onMark,
}: {
  readonly column: RecordColumn
  readonly record: TraderRecord
  readonly isMarked: boolean
  readonly onMark: (wallet: string) => void
}) {
  switch (column) {
    case 'wallet':
      return (
        <td>
          <WalletLink wallet={record.wallet} label={record.label} flags={record} />
          {record.trades === 0 && (
            <span class="mark" title="was handed its tokens, and never traded this one">
              HANDED
            </span>
          )}
        </td>
      )
    case 'token':
      return (
        <td>
          <a class="link" href={tokenPath(record.mint)} title={record.mint}>
            <bdi>{shownName(record.symbol, record.mint)}</bdi>
          </a>
        </td>
      )
    case 'holding':
      return (
        <Figure column={column} text={percent(record.holding_pct)} exact={record.holding_amount} />
      )
    case 'worth':
      return <Figure column={column} text={money(record.holding_usd)} exact={record.holding_usd} />
    case 'bought':
      return <Figure column={column} text={money(record.bought_usd)} exact={record.bought_usd} />
    case 'sold':
      return <Figure column={column} text={money(record.sold_usd)} exact={record.sold_usd} />
    case 'trades':
      return <Figure column={column} text={compact(record.trades)} exact={record.trades} />
    case 'pnl':
      return (
        <td class={`number ${signClass(record.pnl)}`} data-cell="pnl" title={`$${record.pnl}`}>
          {signedMoney(record.pnl)} <span class="faint part">{percent(record.pnl_pct)}</span>
        </td>
      )
    case 'mark':
      return (
        <td class="number">
          <button
            type="button"
            class="button mark-button"
            aria-pressed={isMarked}
            aria-label={`Mark the trades of ${short(record.wallet)} on the chart`}
            title="Mark the trades of this wallet on the chart"
            onClick={() => onMark(record.wallet)}
          >
            F
          </button>
        </td>
      )
    case 'active':
      return (
        <td class="number faint">
          <TimeAgo seconds={record.last_active_ts} />
        </td>
      )
  }
}

function Figure({
  column,
  text,
  exact,
}: {
  readonly column: RecordColumn
  readonly text: string
  readonly exact: number
}) {
  return (
    <td class={headClass(column)} data-cell={column} title={String(exact)}>
      {text}
    </td>
  )
}
