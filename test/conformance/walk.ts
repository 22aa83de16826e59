/** Walks pages of an endpoint and compares walks with different page sizes. */
import { ensure, type Json, keysAre, Moved, num, record, records, same } from './expect.ts'
import type { Http } from './http.ts'

export interface Page {
  total: number
  page: number
  limit: number
  items: Json[]
}

export async function getPage(http: Http, path: string): Promise<Page> {
  const body = record(await http.get(path), path)
  keysAre(body, ['total', 'page', 'limit', 'items'], path)
  const page = {
    total: num(body, 'total'),
    page: num(body, 'page'),
    limit: num(body, 'limit'),
    items: records(body.items, 'items'),
  }
  ensure(Number.isSafeInteger(page.total) && page.total >= 0, `${path}: total ${page.total}`)
  ensure(page.items.length <= page.limit, `${path}: more items than the limit`)
  const from = (page.page - 1) * page.limit
  const expected = Math.max(0, Math.min(page.limit, page.total - from))
  same(page.items.length, expected, `${path}: items on the page`)
  return page
}

export interface Walk {
  items: Json[]
  total: number
  /** The total was the same on every page. */
  still: boolean
}

/** All items, page by page; at most `most` pages. */
export async function walk(
  http: Http,
  path: (query: string) => string,
  limit: number,
  most = 60,
): Promise<Walk> {
  const items: Json[] = []
  const totals: number[] = []
  for (let page = 1; page <= most; page += 1) {
    const got = await getPage(http, path(`page=${page}&limit=${limit}`))
    same([got.page, got.limit], [page, limit], 'page and limit of the answer')
    items.push(...got.items)
    totals.push(got.total)
    if (page * limit >= got.total) break
  }
  const total = totals[totals.length - 1]
  return { items, total, still: totals.every((one) => one === total) }
}

/** A mark of the newest activity in a list: of traders by time, of swaps the first. */
async function newest(http: Http, path: (query: string) => string): Promise<string> {
  const latest = path('limit=1').replace(/order_by=\w+/, 'order_by=last_active_ts')
  const { total, items } = await getPage(http, latest)
  const [first] = items
  return [total, first?.signature, first?.wallet, first?.mint, first?.trades].join(' ')
}

/** The pages hold every item once, whatever the page size. */
export async function checkPartition(
  http: Http,
  path: (query: string) => string,
  identity: (item: Json) => string,
  limits: number[],
): Promise<void> {
  const before = await newest(http, path)
  const walks: Walk[] = []
  for (const limit of limits) walks.push(await walk(http, path, limit))
  const after = await newest(http, path)
  const still = walks.every((one) => one.still && one.total === walks[0].total)
  if (!still || before !== after) throw new Moved('the list moved during the walk')
  const sequences = walks.map((one) => one.items.map(identity))
  sequences.forEach((keys, i) => {
    same(new Set(keys).size, keys.length, `distinct items with limit ${limits[i]}`)
    same(keys.length, walks[i].total, `items of all pages with limit ${limits[i]} against total`)
    same(keys, sequences[0], `the sequence of items with limit ${limits[i]}`)
  })
}
