import { ROWS_MAX } from '../memory/rows.ts'
import { StateError, type StatePart, sizesOf } from '../memory/state-part.ts'
import type { Tape } from './tape.ts'

/**
 * A tape as a part of the state: its last records. Whole chunks that no late event can reach
 * (`settled` = first record that one may) belong to the archive, whether they still lie in memory
 * or not, so that the part is the same wherever they are.
 */
export function tapePart(name: string, tape: Tape, settled: () => number): StatePart {
  const archived = () => settled() - (settled() % tape.chunkRecords)
  return {
    name,
    facts: () => [tape.count, archived()],
    views: () => tape.views(archived()),
    open(facts) {
      const [count, archivedCount] = sizesOf(name, facts, [ROWS_MAX, ROWS_MAX])
      if (archivedCount > count || archivedCount % tape.chunkRecords !== 0)
        throw new StateError(`a ${name} of ${count} records cannot have ${archivedCount} archived`)
      tape.reset(count, archivedCount)
      return tape.views(archivedCount)
    },
    settle() {},
  }
}
