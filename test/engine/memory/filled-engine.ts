import { setTimeout as pause } from 'node:timers/promises'
import { Service } from '../../../src/app/service.ts'
import { LATE_SLOTS } from '../../../src/engine/order/reorder-window.ts'
import { Market } from '../../../src/feeds/simulator/market.ts'
import { History } from '../../../src/feeds/simulator/simulator.ts'
import { collectGarbage } from '../../../src/server/admin/admin-server.ts'

/**
 * A program: prints `[held, named]`, the bytes of all buffers of an engine that folded a market, and those that its
 * figures name. Buffers that the files before a test left behind would be counted in a process that they share.
 */

/** An engine that folded a market of so many tokens. */
function filledEngine(tokens: number): Service {
  const service = new Service({ clock: 'event', lateSlots: LATE_SLOTS })
  const addressBook = service.engine.state.book
  const options = { seed: 1, tokens, rate: 100, startSeconds: 1_700_000_000, addressBook }
  const market = new Market(options, service)
  const history = new History(market, {
    tokens,
    rate: options.rate,
    endSeconds: options.startSeconds,
  })
  while (!history.step());
  market.flush()
  return service
}

/** Bytes of all buffers that are alive; a buffer goes a moment after what held it. */
async function heldBytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    collectGarbage()
    await pause(100)
  }
  return process.memoryUsage().arrayBuffers
}

const before = await heldBytes()
const service = filledEngine(2_000)
const held = (await heldBytes()) - before
const named = service.memory.reduce((sum, { bytes }) => sum + bytes, 0)
console.log(JSON.stringify([held, named]))
