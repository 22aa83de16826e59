import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { TableRow, Window } from '../../../client/src/mintfeed.ts'
import { sparkFeed } from '../feed/spark-feed.ts'
import type { HeldOrder } from '../parts/held-order.ts'
import type { ShownRow } from '../parts/held-rows.ts'
import { holding } from '../parts/holding.ts'
import { ROW_HEIGHT, seenRange } from './column-rows.ts'
import { leavePlace, takePlace } from './last-look.ts'
import { Pace } from './pace.ts'
import { Row, type RowAside } from './row.tsx'

interface RowListProps<T extends TableRow> {
  /** Tells the list from others of the page. */
  readonly name: string
  readonly order: HeldOrder<T>
  /** Its choices as one text: rows of another view are others. */
  readonly viewText: string
  readonly window: Window
  /** Have the first rows come? */
  readonly isFilled: boolean
  /** The mint that the keyboard is at, in this list. */
  readonly currentMint: string | null
  readonly onShown: (mints: readonly string[]) => void
  readonly Aside?: RowAside<T>
  /** What it says while it has no rows. */
  readonly children: ComponentChildren
}

/** Rows of tokens, held in their order; only those that are seen exist. */
export function RowList<T extends TableRow>(props: RowListProps<T>) {
  const { name, order, viewText, window, isFilled, currentMint, onShown, Aside = null } = props
  const held = useMemo(() => holding(order), [order])
  const box = useRef<HTMLDivElement>(null)
  const height = useSignal(0)

  useEffect(() => followHeight(box.current, (px) => (height.value = px)), [height])
  useEffect(() => order.follow(), [order])
  const isWalked = currentMint !== null
  useLayoutEffect(() => order.walked(isWalked), [order, isWalked])
  useEffect(() => {
    order.reset()
    box.current?.scrollTo({ top: 0 })
    return () => leavePlace(name, { view: viewText, scrollTop: order.scrollTop.peek() })
  }, [order, viewText])
  // With the rows: a reader may have scrolled before what comes after them.
  useLayoutEffect(() => {
    const scrollTop = isFilled ? takePlace(name, viewText) : 0
    if (scrollTop > 0) box.current?.scrollTo({ top: scrollTop })
  }, [isFilled])

  const { rows } = order.shown.value
  const [first, end] = seenRange(order.scrollTop.value, height.value, rows.length)
  const seen = rows.slice(first, end)
  const mints = seen.map(({ row }) => row.mint).join()
  const pace = useMemo(() => new Pace(), [])
  const isQuick = pace.isQuick(mints, performance.now())
  useEffect(
    () =>
      sparkFeed.want(
        name,
        rows.slice(first, end).map(({ row }) => row),
      ),
    [mints],
  )
  useEffect(() => () => sparkFeed.want(name, []), [name])
  // With the rows, not after them: a key may come as soon as they are seen.
  useLayoutEffect(() => onShown(rows.map(({ row }) => row.mint)), [rows])
  useEffect(() => scrollToCurrent(box.current, rows, currentMint), [currentMint])

  return (
    <div ref={box} class="rows" {...held}>
      {props.children}
      <ul class={isQuick ? 'quick' : undefined} style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
        {seen.map(({ row, isGone }, at) => (
          <Row
            key={row.mint}
            row={row}
            window={window}
            index={first + at}
            isGone={isGone}
            isCurrent={row.mint === currentMint}
            Aside={Aside}
          />
        ))}
      </ul>
    </div>
  )
}

/** What tells a row from all others. */
export function mintOf({ mint }: TableRow): string {
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
