import { expect, test } from 'vitest'
import { type RateWindow, rateWindow, withWindow } from '../../web/src/feed/rate-window.ts'

const MINT = '5WMqTdxZ8PBbpvGiqv1pWmSNkZ4bGzXTvRU2uYQNpump'
const told = (headers: Readonly<Record<string, string>>) => (name: string) => headers[name] ?? null

test('an answer tells the limit of its endpoint, whatever address was asked for', () => {
  const header = told({
    'x-ratelimit-limit': '120',
    'x-ratelimit-remaining': '117',
    'x-ratelimit-reset': '32',
  })
  expect(rateWindow(`/api/v2/search/traders/tokens/${MINT}`, header, 1_000)).toEqual({
    endpoint: 'search/traders/tokens/…',
    limit: 120,
    remaining: 117,
    endsAtMs: 33_000,
  })
})

test('an answer without a limit, or with one that is no number, tells nothing', () => {
  expect(rateWindow('/api/v2/meme', told({}), 0)).toBeNull()
  expect(rateWindow('/api/v2/meme', told({ 'x-ratelimit-limit': 'many' }), 0)).toBeNull()
})

test('the newest word of an endpoint counts, and endpoints are bounded', () => {
  const window = (endpoint: string, remaining: number) => ({
    endpoint,
    limit: 120,
    remaining,
    endsAtMs: 0,
  })
  let windows: ReadonlyMap<string, RateWindow> = new Map()
  for (let i = 0; i < 100; i++) windows = withWindow(windows, window(`e${i}`, 1))
  windows = withWindow(windows, window('e99', 0))
  expect(windows.size).toBe(32)
  expect(windows.get('e99')?.remaining).toBe(0)
})
