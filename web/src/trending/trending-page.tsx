import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { type TrendingToken, WINDOWS } from '../../../client/src/mintfeed.ts'
import { AlertButton } from '../alerts/alert-button.tsx'
import { alertsFollow } from '../alerts/alerts.ts'
import { RowCount, Unfilled } from '../board/column.tsx'
import { mintOf, RowList } from '../board/row-list.tsx'
import { useWalk } from '../board/walk.ts'
import { TrendingFeed } from '../feed/trending-feed.ts'
import { go, TRENDING_PATH } from '../frame/route.ts'
import { useTitle } from '../frame/title.ts'
import { Change } from '../parts/change.tsx'
import { HeldOrder } from '../parts/held-order.ts'
import { heldText } from '../parts/held-rows.ts'
import { LegendButton } from '../parts/legend.tsx'
import { Note } from '../parts/note.tsx'
import { WindowChoice } from '../parts/window-choice.tsx'
import { exact } from '../text/number-form.ts'
import {
  isTrendingBy,
  parseTrendingView,
  TRENDING_BY,
  type TrendingView,
  trendingViewText,
} from './trending-view.ts'

/** Rows the service is asked for, as for a column of the board. */
export const TRENDING_ROWS = 100
const LIST = 'trending'
/** There is one list: the keys have nowhere else to go. */
const onList = signal<typeof LIST>(LIST)

/** Tokens that trade most in a window, live; what is shown is kept in the address. */
export function TrendingPage({ search }: { readonly search: string }) {
  useTitle('Trending')
  const view = useMemo(() => parseTrendingView(search), [search])
  const { window, by } = view
  const walk = useWalk([LIST], onList)
  const feed = useMemo(() => new TrendingFeed(), [])
  useEffect(() => feed.follow({ window, by, limit: TRENDING_ROWS }), [feed, window, by])
  useEffect(() => () => feed.close(), [feed])
  const order = useMemo(() => new HeldOrder(feed.items, mintOf), [feed])
  const viewText = trendingViewText(view)
  useEffect(() => alertsFollow({ name: LIST, view }), [viewText])
  const show = (next: Partial<TrendingView>) => {
    const text = trendingViewText({ ...view, ...next })
    go(text === '' ? TRENDING_PATH : `${TRENDING_PATH}?${text}`, 'replace')
  }
  return (
    <main class="board-page trending" id="main" tabIndex={-1}>
      <h1 class="unseen">Trending</h1>
      <div class="board-bar">
        <WindowChoice window={window} onWindow={(next) => show({ window: next })} />
        <LegendButton />
        <span class="spring" />
        <span class="hint wide-only">Pointing at the list holds its order</span>
      </div>
      <section class="column" data-group={LIST} data-seq={feed.seq} aria-label="Trending">
        <header class="column-head">
          <h2>Trending</h2>
          <RowCount count={feed.items.value.length} />
          <span class="held">{heldText(order.isHeld, order.shown.value.arrived)}</span>
          <span class="spring" />
          <select
            class="select"
            aria-label="Trending by"
            value={by}
            onChange={({ currentTarget: { value } }) => {
              if (isTrendingBy(value)) show({ by: value })
            }}
          >
            {Object.entries(TRENDING_BY).map(([key, label]) => (
              <option key={key} value={key}>
                {label}
              </option>
            ))}
          </select>
          <AlertButton list={{ name: LIST, view }} />
        </header>
        <RowList
          name={LIST}
          order={order}
          viewText={viewText}
          window={window}
          isFilled={!feed.isLoading.value}
          currentMint={walk.currentMint(LIST)}
          onShown={(mints) => walk.shown(LIST, mints)}
          Aside={Changes}
        >
          <Unfilled feed={feed}>
            <Note title="Nothing trades">No token has a trade in the last {window}.</Note>
          </Unfilled>
        </RowList>
      </section>
    </main>
  )
}

/** Rank, and how the price went in each window. */
function Changes({ row }: { readonly row: TrendingToken }) {
  return (
    <span class="changes">
      <span>
        <span class="label">Rank</span>
        <b data-cell="rank">{exact(row.rank)}</b>
      </span>
      {WINDOWS.map((window) => (
        <span key={window}>
          <span class="label">{window}</span>
          <Change
            value={row.windows?.[window].price_change_pct ?? Number.NaN}
            window={window}
            cell={`change-${window}`}
          />
        </span>
      ))}
    </span>
  )
}
