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

const places = new Map<string, Place>()

export function leavePlace(list: string, place: Place): void {
  places.set(list, place)
}

/** Where the column was left, once: 0 for one that shows something else now. */
export function takePlace(list: string, view: string): number {
  const place = places.get(list)
  places.delete(list)
  return place?.view === view ? place.scrollTop : 0
}
