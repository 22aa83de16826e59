import { isCount, listOf, objectOf, type Shape } from '../shape.ts'

export interface Page<T> {
  readonly total: number
  readonly page: number
  readonly limit: number
  readonly items: readonly T[]
}

export function pageOf<T>(item: Shape<T>): Shape<Page<T>> {
  const isPage = objectOf({ total: isCount, page: isCount, limit: isCount, items: listOf(item) })
  return (value): value is Page<T> => isPage(value)
}
