import type { Budget } from '../../base/budget.ts'
import type { TokenOrder } from '../../engine/index/token-order.ts'
import type { TokenReader } from '../../engine/read/token-reader.ts'
import type { WindowReader } from '../../engine/read/window-reader.ts'
import type { State } from '../../engine/state/state.ts'
import { type TableOrder, WINDOWS, type Window } from '../../protocol/filters.ts'
import type { TrendingOrder, TrendingQuery } from '../../protocol/queries.ts'
import { WINDOW_METRICS } from './metrics.ts'
import { NumberColumn } from './number-column.ts'
import { TRENDING_METRICS, TrendingTokens } from './trending.ts'

/** A quantity of one window: what changes in the others is passed over. */
class WindowColumn extends NumberColumn {
  readonly #window: number

  /** `window` is a place in WINDOW_SECONDS. */
  constructor(
    state: State,
    reader: TokenReader,
    read: (token: TokenReader) => number,
    window: number,
  ) {
    super(state, reader, read, state.windowChanges)
    this.#window = window
  }

  protected override changedAt(place: number): number {
    return this.state.windowChanges.tokenAt(place, this.#window)
  }
}

/** The quantities of windows as columns, and the tokens in their order: each made when it is first asked for. */
export class WindowColumns {
  readonly #state: State
  readonly #reader: TokenReader
  readonly #window: WindowReader
  /** At most as many as there are quantities of windows, as of the next. */
  readonly #columns = new Map<string, NumberColumn>()
  readonly #trending = new Map<string, TrendingTokens>()

  /** `reader` and `window` are moved. */
  constructor(state: State, reader: TokenReader, window: WindowReader) {
    this.#state = state
    this.#reader = reader
    this.#window = window
  }

  get bytes(): number {
    const parts = [...this.#columns.values(), ...this.#trending.values()]
    return parts.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Covers all tokens. */
  column(order: TableOrder): NumberColumn {
    const [name, filter] = order.split('.')
    const window = WINDOWS.find((one) => one === name)
    const metric = WINDOW_METRICS.find((one) => one.filter === filter)
    if (window === undefined || metric === undefined) throw new Error(`no quantity ${order}`)
    return this.#column(order, window, metric.read)
  }

  /**
   * What tables are ordered by, of all tokens; valid until the state changes.
   * @throws OutOfTime before all values are read
   */
  values(order: TableOrder, budget: Budget): Float64Array {
    const column = this.column(order)
    column.load(budget)
    return column.all()
  }

  /**
   * The trending tokens.
   * @throws OutOfTime before all values are read
   */
  trending(
    { window, by, limit }: TrendingQuery,
    order: Pick<TokenOrder, 'comesFirst'>,
    budget: Budget,
  ): readonly number[] {
    const name = `${window}.${by}` as const
    const column = this.#column(name, window, TRENDING_METRICS[by])
    column.load(budget)
    const trades = this.values(`${window}.txs`, budget)
    let tokens = this.#trending.get(name)
    if (tokens === undefined) {
      tokens = new TrendingTokens(this.#state, WINDOWS.indexOf(window))
      this.#trending.set(name, tokens)
    }
    return tokens.top(limit, column.all(), trades, order)
  }

  #column(
    name: TableOrder | `${Window}.${TrendingOrder}`,
    window: Window,
    read: (window: WindowReader) => number,
  ): NumberColumn {
    let column = this.#columns.get(name)
    if (column === undefined) {
      const place = WINDOWS.indexOf(window)
      const readToken = ({ token }: TokenReader) => read(this.#window.at(token, place))
      column = new WindowColumn(this.#state, this.#reader, readToken, place)
      this.#columns.set(name, column)
    }
    column.cover()
    return column
  }
}
