import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { Group, TableRow } from '../../../client/src/mintfeed.ts'
import type { ColumnFeed } from '../feed/column-feed.ts'
import { sparkFeed } from '../feed/spark-feed.ts'
import type { ColumnView } from '../filters/board-view.ts'
import { ROWS } from '../filters/board-view.ts'
import { filterCount } from '../filters/filter-fields.ts'
import { isSortKey, SORT_KEYS, SORTS, sorted } from '../filters/sort-orders.ts'
import { HeldOrder } from '../parts/held-order.ts'
import { heldText, type ShownRow } from '../parts/held-rows.ts'
import { holding } from '../parts/holding.ts'
import { Note } from '../parts/note.tsx'
import { exact } from '../text/number-form.ts'
import { ROW_HEIGHT, seenRange } from './column-rows.ts'
import { FilterPanel } from './filter-panel.tsx'
import { leavePlace, takePlace } from './last-look.ts'
import { Pace } from './pace.ts'
import { Row } from './row.tsx'

export const COLUMN_TITLES: Readonly<Record<Group, string>> = {
  new: 'New',
  completing: 'Completing',
  graduated: 'Graduated',
}
const DEFAULT_SORTS: Readonly<Record<Group, string>> = {
  new: 'Newest',
  completing: 'Nearest to graduation',
  graduated: 'Graduated last',
}

interface ColumnProps {
  readonly group: Group
  readonly feed: ColumnFeed
  readonly view: ColumnView
  /** The mint that the keyboard is at, in this column. */
  readonly currentMint: string | null
  readonly onView: (view: ColumnView) => void
  readonly onShown: (mints: readonly string[]) => void
}

/** One live column of the board. */
export function Column({ group, feed, view, currentMint, onView, onShown }: ColumnProps) {
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
  const held = useMemo(() => holding(order), [order])
  const box = useRef<HTMLDivElement>(null)
  const height = useSignal(0)

  useEffect(() => followHeight(box.current, (px) => (height.value = px)), [height])
  useEffect(() => order.follow(), [order])
  const isWalked = currentMint !== null
  useLayoutEffect(() => order.walked(isWalked), [order, isWalked])
  // The view of another column is in the address too: only what this one shows counts.
  const viewText = JSON.stringify(view)
  useEffect(() => {
    order.reset()
    box.current?.scrollTo({ top: 0 })
    return () => leavePlace(group, { view: viewText, scrollTop: order.scrollTop.peek() })
  }, [order, viewText])
  const isFilled = !feed.isLoading.value
  // With the rows: a reader may have scrolled before what comes after them.
  useLayoutEffect(() => {
    const scrollTop = isFilled ? takePlace(group, viewText) : 0
    if (scrollTop > 0) box.current?.scrollTo({ top: scrollTop })
  }, [isFilled])

  const { rows, arrived } = order.shown.value
  const [first, end] = seenRange(order.scrollTop.value, height.value, rows.length)
  const seen = rows.slice(first, end)
  const mints = seen.map(({ row }) => row.mint).join()
  const pace = useMemo(() => new Pace(), [])
  const isQuick = pace.isQuick(mints, performance.now())
  useEffect(
    () =>
      sparkFeed.want(
        group,
        rows.slice(first, end).map(({ row }) => row),
      ),
    [mints],
  )
  useEffect(() => () => sparkFeed.want(group, []), [group])
  // With the rows, not after them: a key may come as soon as they are seen.
  useLayoutEffect(() => onShown(rows.map(({ row }) => row.mint)), [rows])
  useEffect(() => scrollToCurrent(box.current, rows, currentMint), [currentMint])

  return (
    <section
      class="column"
      data-group={group}
      data-seq={feed.seq}
      aria-label={COLUMN_TITLES[group]}
    >
      <header class="column-head">
        <h2>{COLUMN_TITLES[group]}</h2>
        <span class="count" title={`Rows shown, at most ${ROWS}`}>
          {exact(feed.items.value.length)}
        </span>
        <span class="held">{heldText(order.isHeld, arrived)}</span>
        <span class="spring" />
        <select
          class="select"
          aria-label={`Order of ${COLUMN_TITLES[group]}`}
          title={`Orders the ${ROWS} rows of this column`}
          value={view.sort}
          onChange={({ currentTarget: { value } }) => {
            if (isSortKey(value)) onView({ ...view, sort: value })
          }}
        >
          {SORT_KEYS.map((key) => (
            <option key={key} value={key}>
              {key === 'default' ? DEFAULT_SORTS[group] : SORTS[key].label}
            </option>
          ))}
        </select>
        <button
          ref={filterButton}
          type="button"
          class="button"
          aria-expanded={isFiltering.value}
          onClick={() => (isFiltering.value = !isFiltering.value)}
        >
          Filter
          {filterCount(view.filters) > 0 && <span class="badge">{filterCount(view.filters)}</span>}
        </button>
      </header>
      {/* Always there: an element that takes its turn with another would be taken for the rows' own. */}
      <div class="filter-place">
        {isFiltering.value && (
          <FilterPanel
            filters={view.filters}
            onFilters={(filters) => onView({ ...view, filters })}
            onClose={endFiltering}
          />
        )}
      </div>
      <div ref={box} class="rows" {...held}>
        <Unfilled feed={feed} hasFilters={filterCount(view.filters) > 0} />
        <ul
          class={isQuick ? 'quick' : undefined}
          style={{ height: `${rows.length * ROW_HEIGHT}px` }}
        >
          {seen.map(({ row, isGone }, at) => (
            <Row
              key={row.mint}
              row={row}
              index={first + at}
              isGone={isGone}
              isCurrent={row.mint === currentMint}
            />
          ))}
        </ul>
      </div>
    </section>
  )
}

function Unfilled({
  feed,
  hasFilters,
}: {
  readonly feed: ColumnFeed
  readonly hasFilters: boolean
}) {
  const problem = feed.problem.value
  if (problem !== null) return <Note title="The service refuses this filter">{problem}</Note>
  if (feed.isLoading.value) return <Note title="Loading">The first rows are on their way.</Note>
  if (feed.items.value.length > 0) return null
  return hasFilters ? (
    <Note title="Nothing fits">
      No token passes these filters now. Rows appear as soon as one does.
    </Note>
  ) : (
    <Note title="Empty">No token is in this group yet.</Note>
  )
}

function mintOf({ mint }: TableRow): string {
  return mint
}

function followHeight(box: HTMLElement | null, told: (px: number) => void): () => void {
  if (box === null) return () => {}
  const observer = new ResizeObserver(() => told(box.clientHeight))
  observer.observe(box)
  return () => observer.disconnect()
}

function scrollToCurrent(
  box: HTMLElement | null,
  rows: readonly ShownRow<TableRow>[],
  mint: string | null,
): void {
  const at = mint === null ? -1 : rows.findIndex(({ row }) => row.mint === mint)
  if (box === null || at < 0) return
  const top = at * ROW_HEIGHT
  if (top < box.scrollTop) box.scrollTo({ top })
  const bottom = top + ROW_HEIGHT - box.clientHeight
  if (bottom > box.scrollTop) box.scrollTo({ top: bottom })
}
