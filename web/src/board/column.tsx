import { useComputed, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Group, TableRow, Window } from '../../../client/src/mintfeed.ts'
import { AlertButton } from '../alerts/alert-button.tsx'
import { alertsFollow } from '../alerts/alerts.ts'
import type { ColumnFeed } from '../feed/column-feed.ts'
import type { StateFeed } from '../feed/state-feed.ts'
import type { ColumnView } from '../filters/board-view.ts'
import { ROWS } from '../filters/board-view.ts'
import { filterCount } from '../filters/filter-fields.ts'
import { LIST_TITLES } from '../filters/list-titles.ts'
import { sorted } from '../filters/sort-orders.ts'
import { HeldOrder } from '../parts/held-order.ts'
import { heldText } from '../parts/held-rows.ts'
import { Note } from '../parts/note.tsx'
import { exact } from '../text/number-form.ts'
import { FilterPanel } from './filter-panel.tsx'
import { OrderChoice } from './order-choice.tsx'
import { mintOf, RowList } from './row-list.tsx'

interface ColumnProps {
  readonly group: Group
  readonly feed: ColumnFeed
  readonly view: ColumnView
  /** Whose figures its rows show. */
  readonly window: Window
  /** The mint that the keyboard is at, in this column. */
  readonly currentMint: string | null
  readonly onView: (view: ColumnView) => void
  readonly onShown: (mints: readonly string[]) => void
}

/** One live column of the board. */
export function Column(props: ColumnProps) {
  const { group, feed, view, window, currentMint, onView, onShown } = props
  const title = LIST_TITLES[group]
  const isFiltering = useSignal(false)
  const filterButton = useRef<HTMLButtonElement>(null)
  // What had the focus goes with the panel.
  const endFiltering = () => {
    isFiltering.value = false
    filterButton.current?.focus()
  }
  const sort = useSignal(view.sort)
  sort.value = view.sort
  const live = useComputed(() => sorted(feed.items.value, sort.value))
  const order = useMemo(() => new HeldOrder(live, mintOf), [live])
  const filters = filterCount(view.filters)
  // The view of another column is in the address too: only what this one shows counts.
  const viewText = JSON.stringify(view)
  useEffect(() => alertsFollow({ name: group, view }), [group, viewText])

  return (
    <section class="column" data-group={group} data-seq={feed.seq} aria-label={title}>
      <header class="column-head">
        <h2>{title}</h2>
        <RowCount count={feed.items.value.length} />
        <span class="held">{heldText(order.isHeld, order.shown.value.arrived)}</span>
        <span class="spring" />
        <OrderChoice
          group={group}
          title={title}
          order={view.sort}
          window={window}
          onOrder={(next) => onView({ ...view, sort: next })}
        />
        <AlertButton list={{ name: group, view }} />
        <button
          ref={filterButton}
          type="button"
          class="button"
          aria-expanded={isFiltering.value}
          onClick={() => (isFiltering.value = !isFiltering.value)}
        >
          Filter
          {filters > 0 && <span class="badge">{filters}</span>}
        </button>
      </header>
      {/* Always there: an element that takes its turn with another would be taken for the rows' own. */}
      <div class="filter-place">
        {isFiltering.value && (
          <FilterPanel
            filters={view.filters}
            window={window}
            onFilters={(next) => onView({ ...view, filters: next })}
            onClose={endFiltering}
          />
        )}
      </div>
      <RowList
        name={group}
        order={order}
        viewText={viewText}
        window={window}
        isFilled={!feed.isLoading.value}
        currentMint={currentMint}
        onShown={onShown}
      >
        <Unfilled feed={feed}>
          {filters > 0 ? (
            <Note title="Nothing fits">
              No token passes these filters now. Rows appear as soon as one does.
            </Note>
          ) : (
            <Note title="Empty">No token is in this group yet.</Note>
          )}
        </Unfilled>
      </RowList>
    </section>
  )
}

/** Behind it stands what is counted where the heading has no room for the name of the list. */
export function RowCount({ count }: { readonly count: number }) {
  return (
    <span class={count === 1 ? 'count one' : 'count'} title={`Rows shown, at most ${ROWS}`}>
      {exact(count)}
    </span>
  )
}

/** What a list says while it has no rows; `children` when the service has none for it. */
export function Unfilled<T extends TableRow>({
  feed,
  children,
}: {
  readonly feed: StateFeed<T>
  readonly children: ComponentChildren
}) {
  const problem = feed.problem.value
  if (problem !== null) return <Note title="The service refuses this filter">{problem}</Note>
  if (feed.isLoading.value) return <Note title="Loading">The first rows are on their way.</Note>
  return feed.items.value.length > 0 ? null : children
}
