import type { Filters, Group, TableRow } from '../../../client/src/mintfeed.ts'
import { tableQuery } from '../filters/board-view.ts'
import { live } from './connection.ts'
import { StateFeed } from './state-feed.ts'

/** The rows of one column as the service has them. A row that did not change is the same object. */
export class ColumnFeed extends StateFeed<TableRow> {
  readonly #group: Group
  #followed = ''

  constructor(group: Group) {
    super()
    this.#group = group
  }

  /** Follows the table of these filters in place of the one before, unless they are the same. */
  follow(filters: Filters): void {
    const name = JSON.stringify(filters)
    if (name === this.#followed) return
    this.close()
    this.#followed = name
    const subscription = live.tables(tableQuery(this.#group, filters))
    void this.show(subscription, ({ tables }) => tables[this.#group] ?? [])
  }

  override close(): void {
    super.close()
    this.#followed = ''
  }
}
