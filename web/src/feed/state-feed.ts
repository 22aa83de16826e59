import { signal } from '@preact/signals'
import type {
  BarsState,
  RefusedUpdate,
  Subscription,
  TablesState,
  TrendingState,
} from '../../../client/src/mintfeed.ts'
import { nextBeat } from '../frame/beat.ts'
import { serviceTimeIs } from '../frame/now.ts'
import { heard } from './connection.ts'

/** A list that the service keeps up to date. */
export class StateFeed<Item> {
  readonly items = signal<readonly Item[]>([])
  /** Position of the items; null before the first came. */
  readonly seq = signal<number | null>(null)
  readonly isLoading = signal(true)
  /** Why the service does not give them. */
  readonly problem = signal<string | null>(null)
  #subscription: { readonly close: () => void } | null = null

  close(): void {
    this.#subscription?.close()
    this.#subscription = null
  }

  /** Shows what `itemsOf` makes of each state, until it is closed. */
  protected async show<State extends TablesState | TrendingState | BarsState>(
    subscription: Subscription<State | RefusedUpdate>,
    itemsOf: (state: State) => readonly Item[],
  ): Promise<void> {
    this.#subscription = subscription
    this.isLoading.value = true
    this.problem.value = null
    for await (const update of subscription) {
      // The first items are waited for; later ones come with everything else of their beat.
      if (!this.isLoading.value) await nextBeat()
      if (subscription !== this.#subscription) return
      this.isLoading.value = false
      if (update.kind === 'refused') {
        this.problem.value = update.problem.message
        // What was shown goes no further.
        this.items.value = []
        continue
      }
      this.items.value = itemsOf(update)
      this.seq.value = update.seq
      serviceTimeIs(update.time)
      heard(update.seq)
    }
  }
}
