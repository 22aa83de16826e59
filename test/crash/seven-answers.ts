import { get } from './http.ts'

/** What is asked of all seven endpoints: some tokens and wallets. */
export interface Asked {
  readonly mints: readonly string[]
  readonly wallets: readonly string[]
}

/** Width of the chart that is asked for, in seconds. */
const CHART_SECONDS = 86_400

/**
 * The bodies of all seven endpoints by what was asked. The chart is kept for some seconds by the
 * server: who compares must not have asked the same before.
 */
export async function sevenAnswers(
  url: string,
  { mints, wallets }: Asked,
  nowSeconds: number,
): Promise<Map<string, string>> {
  const range = `from=${nowSeconds - CHART_SECONDS}&to=${nowSeconds + 1}`
  const paths = [
    ...mints.flatMap((mint) => [
      `/search/tokens/detailed?query=${mint}`,
      `/search/tokens/${mint}/market-data`,
      `/search/tokens/${mint}/swaps?limit=200`,
      `/search/tokens/${mint}/swaps?limit=50&page=2`,
      `/search/traders/tokens/${mint}?limit=200`,
      ...['1S', '5', '1D'].map(
        (width) => `/meme/chart/ohlcv?mint=${mint}&${range}&resolution=${width}`,
      ),
    ]),
    ...wallets.map((wallet) => `/search/traders/${wallet}/tokens?limit=200`),
    `/search/tokens/several/market-data?mints=${mints.join(',')}`,
  ]
  const answers = new Map<string, string>()
  for (const path of paths) answers.set(path, await bodyOf(`${url}/api/v2${path}`))
  const headers = { 'content-type': 'application/json' }
  for (const body of ['{"limit":200}', '{"type":"new","newPools":{"holders":{"min":2}}}'])
    answers.set(body, await bodyOf(`${url}/api/v2/meme`, { method: 'POST', headers, body }))
  return answers
}

/** The body with its status and where the stream stood. */
async function bodyOf(url: string, init: RequestInit = {}): Promise<string> {
  const { status, text, position } = await get(url, init)
  return JSON.stringify([status, position, text])
}

/** What was asked with different answers. */
export function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  return [...before]
    .filter(([asked, answer]) => after.get(asked) !== answer)
    .map(([asked, answer]) => `${asked}: ${firstDifference(answer, after.get(asked) ?? '')}`)
}

const SHOWN = 120

function firstDifference(a: string, b: string): string {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  const from = Math.max(0, at - SHOWN)
  return `${a.slice(from, at + SHOWN)} / ${b.slice(from, at + SHOWN)}`
}
