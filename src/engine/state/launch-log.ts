import { ROWS_MAX, U32List } from '../memory/rows.ts'
import { type StatePart, sizesOf } from '../memory/state-part.ts'

/**
 * Tokens in the order in which their creation and their migration arrived, each at most once: the
 * n-th is the n-th message of its channel. 8 bytes a token at most.
 */
export class LaunchLog {
  readonly launches = new U32List()
  readonly migrations = new U32List()

  readonly part: StatePart = {
    name: 'announcements',
    facts: () => [this.launches.length, this.migrations.length],
    views: () => [this.launches.view(), this.migrations.view()],
    open: (facts) => {
      const [launches, migrations] = sizesOf('announcements', facts, [ROWS_MAX, ROWS_MAX])
      this.launches.reset(launches)
      this.migrations.reset(migrations)
      return [this.launches.view(), this.migrations.view()]
    },
    settle() {},
  }
}
