import type { Group } from '../../../client/src/mintfeed.ts'

/** The lists of tokens of the page. */
export type ListName = Group | 'trending'

export const LIST_TITLES: Readonly<Record<ListName, string>> = {
  new: 'New',
  completing: 'Completing',
  graduated: 'Graduated',
  trending: 'Trending',
}
