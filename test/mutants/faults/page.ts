import type { Fault } from '../fault.ts'

/** Faults of live lists in the client, and of the page's windows, trending and alerts. */
export const PAGE_FAULTS: readonly Fault[] = [
  {
    name: 'page: the tag of a filter is not in the address',
    file: 'web/src/filters/board-view.ts',
    find: 'if (heldBy !== undefined) parameters.set(',
    replace: 'if (heldBy === undefined) parameters.append(',
    tests: ['test/web/board-view.test.ts'],
  },
  {
    name: 'desk page: frames of what trends go to tables of the same name',
    file: 'client/src/live/lane.ts',
    find: 'followsOfTable(channel, key)',
    replace: "followsOfTable('meme_tables', key)",
    tests: ['test/client/ended-streams.test.ts'],
  },
  {
    name: 'desk page: a list that was left is left as a table, and keeps its place',
    file: 'client/src/live/requests.ts',
    find: "this.#request('unsubscribe', channel, [], { table })",
    replace: "this.#request('unsubscribe', 'meme_tables', [], { table })",
    tests: ['test/client/trending.test.ts'],
  },
  {
    name: 'desk page: a further list does not wait until one that was left has gone',
    file: 'client/src/live/requests.ts',
    find: '!(isLeaving && isTableChannel(channel))',
    replace: "!(isLeaving && channel === 'meme_tables')",
    tests: ['test/client/trending.test.ts'],
  },
  {
    name: 'desk page: a delta of what trends may come without ranks',
    file: 'client/src/live/table-delta.ts',
    find: '  put: listOf(objectOf({ at: isCount, row: isTrendingToken })),\n',
    replace: '',
    tests: ['test/client/table-delta.test.ts'],
  },
  {
    name: 'desk page: another window leaves the order of the window before',
    file: 'web/src/filters/board-view.ts',
    find: 'sort: orderIn(window, sort)',
    replace: 'sort',
    tests: ['test/web/board-view.test.ts'],
  },
  {
    name: 'desk page: bounds of a second quantity of a window take the place of the first',
    file: 'web/src/filters/board-view.ts',
    find: '{ ...windows[window], [key]: range }',
    replace: '{ [key]: range }',
    tests: ['test/web/board-view.test.ts'],
  },
  {
    name: 'desk page: alerts that were held back count for ever',
    file: 'web/src/alerts/alert-pace.ts',
    find: '    this.#untold = 0\n',
    replace: '',
    tests: ['test/web/alerts.test.ts'],
  },
  {
    name: 'desk page: one alert more a minute than promised',
    file: 'web/src/alerts/alert-pace.ts',
    find: 'length >= ALERTS_A_MINUTE',
    replace: 'length > ALERTS_A_MINUTE',
    tests: ['test/web/alerts.test.ts'],
  },
  {
    name: 'desk page: a token that stayed in a list for long is told as one that enters',
    file: 'web/src/alerts/entries.ts',
    find: '      seen.delete(mint)\n      seen.add(mint)\n',
    replace: '      seen.add(mint)\n',
    tests: ['test/web/alerts.test.ts'],
  },
]
