import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { RecentArrivals } from '../../../src/engine/history/recent-swaps.ts'
import { NumberChains } from '../../../src/engine/index/search-candidates.ts'
import { ROWS_PER_PAGE, Rows, U32List } from '../../../src/engine/memory/rows.ts'
import type { MemoryPart } from '../../../src/engine/memory/state-part.ts'
import { TextStore } from '../../../src/engine/memory/text-store.ts'
import { LifecycleLane, MetadataLane, TokenLane } from '../../../src/engine/state/layout.ts'
import { RECENT_ARRIVALS_MAX } from '../../../src/protocol/queries.ts'
import { EngineService } from '../../../src/query/engine-service.ts'
import { history } from '../../oracle/histories.ts'
import { engineOf } from '../../store/restoring.ts'

/** A token has a row of each. */
const TOKEN_BYTES = (TokenLane.lanes + LifecycleLane.lanes + MetadataLane.lanes) * 4

/** What the system gives memory by. */
const PAGE_BYTES = 4_096
/** Of an arrival, what lies beside those before it. */
const ARRIVAL_BYTES = 28

const touched = ({ bytes, untouchedBytes }: { bytes: number; untouchedBytes: number }) =>
  bytes - untouchedBytes

test('rows, texts and lists have touched what was written and no more', () => {
  const rows = new Rows(4)
  for (let i = 0; i < ROWS_PER_PAGE + 1; i++) rows.add()
  expect(rows.bytes).toBe(2 * ROWS_PER_PAGE * 16)
  expect(touched(rows)).toBe((ROWS_PER_PAGE + 1) * 16)
  // Rows that were taken back keep their memory.
  rows.truncate(1)
  expect(touched(rows)).toBe((ROWS_PER_PAGE + 1) * 16)
  const texts = new TextStore()
  expect(texts.bytes).toBe(0)
  expect(texts.untouchedBytes).toBe(0)
  texts.putBytes(Buffer.from('abcd'))
  expect(touched(texts)).toBe(12)
  const list = new U32List()
  list.push(7)
  expect(touched(list)).toBe(4)
})

test('tables that are written to all over have touched a page a write, and all of them in the end', () => {
  const chains = new NumberChains()
  expect(touched(chains)).toBe(0)
  for (let i = 0; i < 10; i++) chains.push(i * 6_151)
  expect(touched(chains)).toBeLessThanOrEqual(20 * PAGE_BYTES + 40)
  for (let i = 0; i < 10_000; i++) chains.push(i * 6_151)
  expect(touched(chains) / chains.bytes).toBeGreaterThan(0.85)

  const engine = engineOf('event', 1 << 10)
  engine.events(history(1, 10))
  const arrivals = new RecentArrivals(engine.state.tape, 0, RECENT_ARRIVALS_MAX)
  expect(touched(arrivals)).toBe(0)
  arrivals.note(0)
  expect(touched(arrivals)).toBeLessThanOrEqual(PAGE_BYTES + ARRIVAL_BYTES)
  for (let i = 0; i < RECENT_ARRIVALS_MAX; i++) arrivals.note(0)
  expect(touched(arrivals)).toBe(arrivals.bytes)
})

test('each part of an engine has one name, and never touches more than it has', () => {
  const engine = engineOf('event', 1 << 10)
  const service = new EngineService(
    engine,
    () => {},
    () => 'e1',
  )
  service.attach()
  const parts = () => [...engine.memory, ...service.memory]
  const named = (name: string): MemoryPart | undefined => parts().find((part) => part.name === name)
  const names = parts().map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  const before = touched(named('tokens') ?? { bytes: 0, untouchedBytes: 0 })
  for (let i = 0; i < 10; i++) engine.events([{ type: 'metadata', mint: `mint${i}`, timestamp: 1 }])
  for (const part of parts()) {
    expect(part.untouchedBytes, part.name).toBeGreaterThanOrEqual(0)
    expect(part.untouchedBytes, part.name).toBeLessThanOrEqual(part.bytes)
  }
  expect(touched(named('tokens') ?? { bytes: 0, untouchedBytes: 0 })).toBe(
    before + 10 * TOKEN_BYTES,
  )
})

const FILLED_ENGINE = fileURLToPath(new URL('./filled-engine.ts', import.meta.url))

test('nearly every byte of the buffers of an engine lies in a part that figures name', () => {
  const printed: unknown = JSON.parse(execFileSync(process.execPath, [FILLED_ENGINE]).toString())
  const [held, named] = Array.isArray(printed) ? printed.map(Number) : []
  expect(held).toBeGreaterThan(40_000_000)
  expect(Math.abs(named / held - 1)).toBeLessThan(0.005)
})
