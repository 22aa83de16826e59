import type { Group, TableRow } from '../../../client/src/mintfeed.ts'
import { type ColumnView, tableQuery } from '../filters/board-view.ts'
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

  /** Follows the table of this view in place of the one before, unless they are the same. */
  follow(view: ColumnView): void {
    const query = tableQuery(this.#group, view)
    const name = JSON.stringify(query)
    if (name === this.#followed) return
    this.close()
    this.#followed = name
    const subscription = live.tables(query)
    void this.show(subscription, ({ tables }) => tables[this.#group] ?? [])
  }

  override close(): void {
    super.close()
    this.#followed = ''
  }
}
