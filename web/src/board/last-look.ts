import { signal } from '@preact/signals'
import type { Group } from '../../../client/src/mintfeed.ts'

/**
 * What of the board stands in no address: whoever comes back from a token goes on where they left it, as with
 * any page.
 */

/** The column that is shown where there is room for one only. */
export const onTab = signal<Group>('new')

interface Place {
  /** Rows of another filter or order are others. */
  readonly view: string
  readonly scrollTop: number
}

const places = new Map<Group, Place>()

export function leavePlace(group: Group, place: Place): void {
  places.set(group, place)
}

/** Where the column was left, once: 0 for one that shows something else now. */
export function takePlace(group: Group, view: string): number {
  const place = places.get(group)
  places.delete(group)
  return place?.view === view ? place.scrollTop : 0
}
