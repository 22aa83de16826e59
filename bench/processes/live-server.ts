/** Engine and server as main.ts puts them together, fed with trades of one mint on demand. */
import { RecordBatch } from '../../src/engine/record-batch.ts'
import { F, SWAP_U32_LANES, U } from '../../src/engine/swap-record.ts'
import { startServer } from '../../src/server/server.ts'
import { Service } from '../../src/service.ts'
import { EngineService } from '../../src/wire/engine-service.ts'
import { tellParent } from '../child.ts'
import { newMarket, playHistory } from '../recorded-market.ts'
import { publishOnDemand } from './publish-loop.ts'

const SIZE = { tokens: 2_000, historyRate: 50, liveSwaps: 0, liveRate: 1 }
const PER_TURN_MAX = 64

/** Trades of one mint, each with an identity of its own, made from a trade of the market. */
class OneMint {
  readonly mint: string
  readonly #batch = new RecordBatch(PER_TURN_MAX)
  readonly #template: Uint32Array
  readonly #service: Service
  readonly #slot: number
  #txIndex = 0

  constructor(service: Service, template: Uint32Array) {
    this.#service = service
    this.#template = template
    this.#slot = service.engine.newestSlot + 1
    this.mint = service.engine.state.book.mintOf(template[U.token])
  }

  fold(count: number): void {
    const batch = this.#batch
    batch.clear()
    for (let i = 0; i < count; i++) {
      const index = batch.next()
      const at = RecordBatch.u32At(index)
      batch.u32.set(this.#template, at)
      batch.f64[RecordBatch.f64At(index) + F.slot] = this.#slot
      batch.u32[at + U.txIndex] = this.#txIndex++
      batch.u32[at + U.signature] = this.#txIndex
    }
    this.#service.records(batch)
  }
}

function warmMint(): { service: Service; mint: OneMint } {
  const service = new Service({ clock: 'event', lateSlots: 32 })
  const template = new Uint32Array(SWAP_U32_LANES)
  const market = newMarket(SIZE, service.engine.state.book, {
    events: (batch) => service.events(batch),
    records: (batch) => {
      template.set(batch.u32.subarray(0, SWAP_U32_LANES))
      service.records(batch)
    },
  })
  playHistory(market, SIZE)
  return { service, mint: new OneMint(service, template) }
}

const { service, mint } = warmMint()
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
publishOnDemand((count) => mint.fold(count))
tellParent({ port: server.port, mint: mint.mint })
