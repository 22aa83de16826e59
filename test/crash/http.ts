import type { Swap } from './json.ts'
import { figuresAnswer, readAs, swapPage } from './json.ts'

/** Where the stream stood when an answer was made. */
export interface Position {
  readonly seq: number
  readonly epoch: string
}

export interface Answer {
  readonly status: number
  readonly text: string
  /** Null where the answer has none: everything outside the API. */
  readonly position: Position | null
}

export const SWAPS_PER_PAGE = 200

/** One answer, whole. @throws when the program is gone */
export async function get(url: string, init: RequestInit = {}): Promise<Answer> {
  const answer = await fetch(url, init)
  const text = await answer.text()
  const seq = answer.headers.get('x-mintfeed-seq')
  const epoch = answer.headers.get('x-mintfeed-epoch')
  const position = seq === null || epoch === null ? null : { seq: Number(seq), epoch }
  return { status: answer.status, text, position }
}

/** All three tables, as long as they may be. */
export function getTables(url: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  return get(`${url}/api/v2/meme`, { method: 'POST', headers, body: '{"limit":200}' })
}

/** One page of a mint's swaps, newest first. */
export async function getSwaps(
  url: string,
  mint: string,
  page: number,
): Promise<{ total: number; items: readonly Swap[]; position: Position | null }> {
  const path = `/api/v2/search/tokens/${mint}/swaps`
  const answer = await get(`${url}${path}?page=${page}&limit=${SWAPS_PER_PAGE}`)
  const { total, items } = readAs(swapPage, answer.text)
  return { total, items, position: answer.position }
}

/** Every swap of a mint, newest first, and the total that the pages tell. */
export async function allSwaps(
  url: string,
  mint: string,
): Promise<{ total: number; items: readonly Swap[] }> {
  const items: Swap[] = []
  for (let page = 1; ; page++) {
    const { total, items: found } = await getSwaps(url, mint, page)
    items.push(...found)
    if (found.length < SWAPS_PER_PAGE) return { total, items }
  }
}

/** `/readyz`, whatever its status. */
export async function figuresOf(url: string) {
  const { status, text } = await get(`${url}/readyz`)
  return { httpStatus: status, ...readAs(figuresAnswer, text) }
}
