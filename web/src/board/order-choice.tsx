import type { Group, Window } from '../../../client/src/mintfeed.ts'
import { ROWS } from '../filters/board-view.ts'
import { WINDOW_FIELDS } from '../filters/filter-fields.ts'
import { isOrder, type Order, SORT_KEYS, SORTS, windowOf } from '../filters/sort-orders.ts'

const DEFAULT_SORTS: Readonly<Record<Group, string>> = {
  new: 'Newest',
  completing: 'Nearest to graduation',
  graduated: 'Graduated last',
}

interface OrderChoiceProps {
  readonly group: Group
  /** How the column is called. */
  readonly title: string
  readonly order: Order
  /** Of the board: the other quantities of it are offered. */
  readonly window: Window
  readonly onOrder: (order: Order) => void
}

/** Chooses a column's order: of its rows, or by a window over the whole market. */
export function OrderChoice({ group, title, order, window, onOrder }: OrderChoiceProps) {
  // An address may order by another window than the one whose figures are shown.
  const offered = windowOf(order) ?? window
  return (
    <select
      class="select"
      aria-label={`Order of ${title}`}
      title={`Orders the ${ROWS} rows of this column; by a window, the whole market`}
      value={order}
      onChange={({ currentTarget: { value } }) => {
        if (isOrder(value)) onOrder(value)
      }}
    >
      {SORT_KEYS.map((key) => (
        <option key={key} value={key}>
          {key === 'default' ? DEFAULT_SORTS[group] : SORTS[key].label}
        </option>
      ))}
      <optgroup label={`Whole market, ${offered}`}>
        {WINDOW_FIELDS.map(({ key, label }) => (
          <option key={key} value={`${offered}.${key}`}>
            {`${label} ${offered}`}
          </option>
        ))}
      </optgroup>
    </select>
  )
}
