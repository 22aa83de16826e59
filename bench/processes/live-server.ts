/** Engine and server as main.ts puts them together, fed with trades of one mint on demand. */

import { EngineService } from '../../src/query/engine-service.ts'
import { startServer } from '../../src/server/server.ts'
import { tellParent } from '../child.ts'
import { marketWithTrades } from '../trade-maker.ts'
import { publishOnDemand } from './publish-loop.ts'

const { service, trades } = marketWithTrades({
  tokens: 2_000,
  historyRate: 50,
  liveSwaps: 0,
  liveRate: 1,
})
const ignore = () => undefined
const wired = new EngineService(
  service.engine,
  () => service.tick(),
  () => 'bench',
)
const server = await startServer({
  host: '127.0.0.1',
  port: 0,
  ...wired.ports,
  state: { isStarting: () => false, notReady: () => null, figures: () => service.figures() },
  clock: Date.now,
  rateLimit: null,
  trustProxy: [],
  corsOrigin: '*',
  log: { info: ignore, warn: ignore, error: ignore },
})
wired.attach()
publishOnDemand((count) => trades.fold(count))
tellParent({ port: server.port, mint: trades.mint })
