/** Runs the suite against a server that is already up. */
import { badInputCases } from './cases/bad-input.ts'
import { cachingCases } from './cases/caching.ts'
import { chartCases } from './cases/chart.ts'
import { corsCases } from './cases/cors.ts'
import { extraCases } from './cases/extra.ts'
import { filterCases } from './cases/filters.ts'
import { httpCases } from './cases/http-rules.ts'
import { keepAliveCases } from './cases/keep-alive.ts'
import { liveCases } from './cases/live.ts'
import { marketDataCases } from './cases/market-data.ts'
import { priceCases } from './cases/prices.ts'
import { rateLimitCases } from './cases/rate-limit.ts'
import { searchCases } from './cases/search.ts'
import { swapCases } from './cases/swaps.ts'
import { tableCases } from './cases/tables.ts'
import { traderRecordCases } from './cases/trader-record.ts'
import { traderCases } from './cases/traders.ts'
import { walletCases } from './cases/wallets.ts'
import { websocketCases } from './cases/websocket.ts'
import { discover, type Known } from './discover.ts'
import { type Case, runCases, type Settings, type Tally, type World } from './harness.ts'
import { createHttp } from './http.ts'

export interface ConformanceOptions extends Partial<Settings> {
  url: string
  /** Default: the url with `ws` and the path `/ws`. */
  ws?: string
  /** Only subjects or sentences that contain this. */
  only?: string
  print?: (line: string) => void
}

const allCases: Case[] = [
  ...searchCases,
  ...marketDataCases,
  ...swapCases,
  ...traderCases,
  ...traderRecordCases,
  ...chartCases,
  ...tableCases,
  ...filterCases,
  ...extraCases,
  ...priceCases,
  ...walletCases,
  ...httpCases,
  ...cachingCases,
  ...corsCases,
  ...badInputCases,
  ...websocketCases,
  ...liveCases,
  ...keepAliveCases,
  ...rateLimitCases,
]

const feedOf = (url: string): string => `${url.replace(/^http/, 'ws').replace(/\/$/, '')}/ws`

const settingsOf = (options: ConformanceOptions): Settings => ({
  url: options.url,
  ws: options.ws ?? feedOf(options.url),
  slow: options.slow ?? false,
  skipRateLimit: options.skipRateLimit ?? false,
  liveSeconds: options.liveSeconds ?? 15,
  suffix: options.suffix ?? 'pump',
})

export async function runConformance(options: ConformanceOptions): Promise<Tally> {
  const print = options.print ?? (() => {})
  const settings = settingsOf(options)
  const http = createHttp(settings.url, print)
  let found: Promise<Known> | undefined
  const known = (): Promise<Known> => {
    found ??= discover(http)
    return found
  }
  const world: World = { settings, http, known }
  const only = options.only ?? ''
  const cases = allCases.filter((one) => `${one.subject}: ${one.sentence}`.includes(only))
  return runCases(cases, world, print)
}
