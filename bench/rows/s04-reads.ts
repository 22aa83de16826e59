import { get, type HttpLoad } from '../drivers/http-load.ts'
import { compareWithBare, driverCeiling, withServed } from '../http-comparison.ts'
import { latenessMark } from '../lateness.ts'
import { atMost, type Line, ratioAtLeast } from '../line.ts'
import { HttpPeer } from '../peers/http-peer.ts'
import { searchWords } from '../search-words.ts'
import { Served, send } from '../served.ts'
import { settings } from '../settings.ts'

const TOKENS = 100_000
const SWAPS_PER_SECOND = 1_000
const GOAL = ratioAtLeast(0.75)
const CHART_GOAL = ratioAtLeast(0.9)
const SEARCH_P99_MS = 2
const SEARCHES_PER_SECOND = 100
const SEARCH_MS = 5_000
const DAY_SECONDS = 86_400

/** S4: the reads of one hot token, and search over all. */
export function run(): Promise<readonly Line[]> {
  return withServed(Served.start(TOKENS, SWAPS_PER_SECOND), async (load, served) => {
    const mint = await hottestMint(served)
    const lines: Line[] = []
    for (const { name, path, goal, ...how } of pathsOf(mint)) {
      const body = await send(served.port, 'GET', path)
      const question = { what: `GET ${name}`, requests: [get(path)], body, goal, ...how }
      lines.push(await compareWithBare(load, served, question))
    }
    lines.push(...(await searchLatency(load, served)))
    lines.push(await driverCeiling(load, get('/')))
    return lines
  })
}

function pathsOf(mint: string) {
  const api = '/api/v2/search'
  const now = Math.floor(Date.now() / 1000)
  const chart = `mint=${mint}&resolution=1&from=${now - DAY_SECONDS}&to=${now + DAY_SECONDS}`
  const traders = `${api}/traders/tokens/${mint}?page=1&limit=50`
  const search = `${api}/tokens/detailed?query=pepe`
  // Each computation of these may take a whole turn, and who pipelines behind one that waits is cut off.
  const alone = { pipelined: 1 }
  return [
    { name: 'market data', path: `${api}/tokens/${mint}/market-data`, goal: GOAL },
    { name: 'swaps page', path: `${api}/tokens/${mint}/swaps?page=1&limit=50`, goal: GOAL },
    { name: 'traders page, one by one', path: traders, goal: GOAL, ...alone },
    { name: 'chart, kept 5 s', path: `/api/v2/meme/chart/ohlcv?${chart}`, goal: CHART_GOAL },
    { name: 'search, one by one', path: search, goal: GOAL, ...alone },
  ]
}

/** The mint in the tables that is traded most. */
async function hottestMint(served: Served): Promise<string> {
  const body = JSON.stringify({ type: 'all', limit: 200 })
  const text = (await send(served.port, 'POST', '/api/v2/meme', body)).toString()
  const rows = [...text.matchAll(/"mint":"(\w+)".*?"tx_24h":(\d+)/g)]
  const hottest = rows.sort((a, b) => Number(b[2]) - Number(a[2]))[0]
  if (hottest === undefined) throw new Error('the tables are empty')
  return hottest[1]
}

/** Searches that differ, at a steady rate; the floor is a bare server under the same driver. */
async function searchLatency(load: HttpLoad, served: Served): Promise<Line[]> {
  const path = '/api/v2/search/tokens/detailed?query='
  const requests = searchWords(settings.seed).map((word) => get(path + encodeURIComponent(word)))
  const bare = await HttpPeer.start('bare-http.ts', await send(served.port, 'GET', `${path}pepe`))
  const runMs = SEARCH_MS * settings.timeScale
  try {
    await load.latency(served, requests, SEARCHES_PER_SECOND, runMs / 2)
    const floor = await load.latency(bare, requests, SEARCHES_PER_SECOND, runMs / 2)
    const ours = await load.latency(served, requests, SEARCHES_PER_SECOND, runMs)
    const what = `search, ${requests.length} different queries, ${SEARCHES_PER_SECOND}/s`
    const late = latenessMark(Number(ours.latenessP99Ms))
    return [50, 99].map((percent) => ({
      what: `${what}, p${percent}`,
      unit: 'ms',
      ours: Number(ours[`p${percent}Ms`]),
      peer: { name: 'bare uWS', value: Number(floor[`p${percent}Ms`]) },
      ...(percent === 99 ? { goal: atMost(SEARCH_P99_MS) } : {}),
      detail: { latenessP99Ms: Number(ours.latenessP99Ms), longestMs: Number(ours.longestMs) },
      saturated: `intended times; ${ours.unanswered} unanswered`,
      ...late,
    }))
  } finally {
    bare.stop()
  }
}
