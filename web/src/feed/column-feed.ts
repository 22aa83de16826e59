import { signal } from '@preact/signals'
import type { Subscription, TableRow, TablesUpdate } from '../../../client/src/mintfeed.ts'
import { tableQuery } from '../filters/board-view.ts'
import type { ColumnFilters, Group } from '../filters/filter-fields.ts'
import { nextBeat } from '../frame/beat.ts'
import { serviceTimeIs } from '../frame/now.ts'
import { heard, live } from './connection.ts'

/** The rows of one column as the service has them. A row that did not change is the same object. */
export class ColumnFeed {
  readonly group: Group
  readonly rows = signal<readonly TableRow[]>([])
  /** Position of the rows; null before the first came. */
  readonly seq = signal<number | null>(null)
  readonly isLoading = signal(true)
  /** Why the service does not give this table. */
  readonly problem = signal<string | null>(null)
  #subscription: Subscription<TablesUpdate> | null = null
  #followed = ''

  constructor(group: Group) {
    this.group = group
  }

  /** Follows the table of these filters in place of the one before, unless they are the same. */
  follow(filters: ColumnFilters): void {
    const name = JSON.stringify(filters)
    if (this.#subscription !== null && name === this.#followed) return
    this.close()
    this.#followed = name
    this.isLoading.value = true
    this.problem.value = null
    const subscription = live.tables(tableQuery(this.group, filters))
    this.#subscription = subscription
    void this.#read(subscription)
  }

  close(): void {
    this.#subscription?.close()
    this.#subscription = null
  }

  async #read(subscription: Subscription<TablesUpdate>): Promise<void> {
    for await (const update of subscription) {
      // The first rows are waited for; later ones come with everything else of their beat.
      if (!this.isLoading.value) await nextBeat()
      if (subscription !== this.#subscription) return
      this.isLoading.value = false
      if (update.kind === 'refused') {
        this.problem.value = update.problem.message
        this.rows.value = []
        continue
      }
      this.seq.value = update.seq
      this.rows.value = update.tables[this.group] ?? []
      serviceTimeIs(update.time)
      heard(update.seq)
    }
  }
}
