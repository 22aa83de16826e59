import { isCount } from './shape.ts'

/** A place in the order of all events: comparable within an epoch. */
export interface Place {
  readonly epoch: string
  readonly position: number
}

/** The place of an answer, by its headers; null when it has none. */
export function placeOf(headers: { get(name: string): string | null }): Place | null {
  const epoch = headers.get('x-mintfeed-epoch')
  const position = Number(headers.get('x-mintfeed-seq') ?? Number.NaN)
  return epoch !== null && isCount(position) ? { epoch, position } : null
}

/** Is it before the other one? Places of two epochs have no order. */
export function isBefore(place: Place, other: Place): boolean {
  return place.epoch === other.epoch && place.position < other.position
}
