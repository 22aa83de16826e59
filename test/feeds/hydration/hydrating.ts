import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { EngineHydration } from '../../../src/app/feeds/engine-hydration.ts'
import { encodeBase58 } from '../../../src/base/base58.ts'
import { Engine } from '../../../src/engine/engine.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { bondingCurveAddress } from '../../../src/feeds/chain/layouts/program-address.ts'
import { HydrationFeed } from '../../../src/feeds/hydration/hydration-feed.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { START_SECOND, swap } from '../../oracle/fixtures.ts'
import { VirtualTimers } from '../supervisor/virtual-timers.ts'
import { AccountsServer } from './accounts-server.ts'

export const address = (byte: number) => encodeBase58(new Uint8Array(32).fill(byte))
export const [MINT, DEV, WHALE, TRADER] = [11, 12, 13, 14].map(address)
export const CURVE = bondingCurveAddress(MINT) ?? ''
export const TEXTS = { name: 'Toad', symbol: 'TOAD', uri: 'ipfs://toad' }
export const SUPPLY = 10n ** 15n
export const SLOT = 500
/** The virtual time of a step: shorter than any wait of the feed. */
const STEP_MS = 50

/** Virtual time that knows whether the feed waits: its loop never waits longer than 200 ms. */
class LoopTimers extends VirtualTimers {
  #waits = 0

  get isBusy(): boolean {
    return this.#waits === 0
  }

  override after(delayMs: number, call: () => void): () => void {
    if (delayMs > 200) return super.after(delayMs, call)
    this.#waits += 1
    let isOver = false
    const end = () => {
      if (!isOver) this.#waits -= 1
      isOver = true
    }
    const cancel = super.after(delayMs, () => {
      end()
      call()
    })
    return () => {
      end()
      cancel()
    }
  }
}

interface Options {
  readonly perSecond?: number
  readonly followed?: readonly string[]
}

/** A feed that asks a server of its own and tells an engine; all end with the test. */
export async function hydrating({ perSecond = 5, followed = [] }: Options = {}) {
  const timers = new LoopTimers()
  const server = await AccountsServer.listen(() => timers.nowMs())
  const engine = new Engine({ clock: 'event' })
  const answers = new EngineQueries(engine, () => {})
  const reads = { followed: () => followed, asked: () => answers.unseen.mints() }
  const reports: string[] = []
  const feed = new HydrationFeed({
    ...{ rpcUrl: server.url, perSecond, lateSlots: 32, timers },
    market: new EngineHydration(() => engine, reads),
    report: (sentence) => reports.push(sentence),
    random: () => 0.5,
  })
  const handedOver: FeedEvent[] = []
  const live = (...events: readonly FeedEvent[]) => {
    engine.events(events)
    feed.observe(events)
  }
  const running = feed.start({
    events: (batch) => {
      handedOver.push(...batch)
      engine.events(batch)
    },
    records: () => {},
  })
  onTestFinished(async () => {
    feed.stop()
    await running
  })
  /** Lets virtual time pass; what was asked meanwhile is answered. */
  const pass = async (ms: number, stepMs = STEP_MS) => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await timers.pass(stepMs)
      while (timers.isBusy) await sleep(1)
    }
  }
  const token = (mint = MINT): unknown => JSON.parse(answers.marketData([mint]))[0] ?? null
  const found = (query: string): unknown => JSON.parse(answers.search(query))[0] ?? null
  return { timers, server, engine, answers, feed, reports, handedOver, live, pass, token, found }
}

/** A trade of a mint, by which the feed hears of it. */
export const bought = (mint: string, slot = SLOT) =>
  swap({
    ...{ mint, slot, pool: bondingCurveAddress(mint) ?? '', signer: TRADER },
    ...{ timestamp: START_SECOND + slot, baseBalanceAfterRaw: 10n ** 9n },
  })
