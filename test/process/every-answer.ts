import type { FeedEvent } from '../../src/events/event.ts'

/** What is asked about. */
export interface Subjects {
  readonly mints: ReadonlySet<string>
  readonly wallets: ReadonlySet<string>
  /** The end of what charts are asked for, unix seconds. */
  readonly newestSeconds: number
}

/** What a program answers about the mints and wallets of these events, by question. */
export function everyAnswer(
  url: string,
  events: readonly FeedEvent[],
): Promise<Map<string, string>> {
  const mints = new Set(events.flatMap((event) => ('mint' in event ? [event.mint] : [])))
  const wallets = new Set(events.flatMap((event) => (event.type === 'swap' ? [event.signer] : [])))
  const newestSeconds = Math.max(...events.map(({ timestamp }) => timestamp))
  return answersAbout(url, { mints, wallets, newestSeconds })
}

/** What a program answers about all of these, by question. */
export async function answersAbout(
  url: string,
  { mints, wallets, newestSeconds }: Subjects,
): Promise<Map<string, string>> {
  const orders = ['pnl', 'last_active_ts'].map(
    (order) => `order_by=${order}&order_direction=desc&limit=200`,
  )
  const paths = [...mints]
    .sort()
    .flatMap((mint) => [
      `/api/v2/tokens/${mint}`,
      `/api/v2/tokens/${mint}/holders?limit=200`,
      `/api/v2/tokens/${mint}/first-buyers?limit=200`,
      `/api/v2/search/tokens/detailed?query=${mint}&extra=1`,
      `/api/v2/search/tokens/${mint}/market-data?extra=1`,
      `/api/v2/search/tokens/${mint}/swaps?limit=200&extra=1`,
      `/api/v2/search/tokens/${mint}/swaps?limit=200&page=2`,
      ...orders.map((order) => `/api/v2/search/traders/tokens/${mint}?${order}`),
      ...(['1S', '5', '1D'] as const).map(
        (resolution) =>
          `/api/v2/meme/chart/ohlcv?mint=${mint}&resolution=${resolution}&from=${newestSeconds - 90_000}&to=${newestSeconds + 60}`,
      ),
    ])
  for (const wallet of [...wallets].sort())
    paths.push(...orders.map((order) => `/api/v2/search/traders/${wallet}/tokens?${order}`))
  const answers = new Map<string, string>()
  for (const path of paths) answers.set(path, await textOf(await fetch(`${url}${path}`)))
  for (const body of [
    { limit: 200, extra: true },
    { type: 'new', new: { historyComplete: true } },
  ])
    answers.set(
      `POST ${JSON.stringify(body)}`,
      await textOf(
        await fetch(`${url}/api/v2/meme`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      ),
    )
  return answers
}

async function textOf(response: Response): Promise<string> {
  return `${response.status} ${await response.text()}`
}
