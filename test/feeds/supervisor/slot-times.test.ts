import { expect, test } from 'vitest'
import { Supervisor } from '../../../src/feeds/supervisor/supervisor.ts'
import { CollectingSink } from '../collecting-sink.ts'
import { ScriptedSource, told } from './scripted-source.ts'
import { VirtualTimers } from './virtual-timers.ts'

/** A supervisor behind slot 1,000 of a chain, which begins with slots of a length. */
async function onChain(options: { readonly backfillMs?: number | null; readonly slotMs: number }) {
  const timers = new VirtualTimers()
  const source = new ScriptedSource()
  const reports: string[] = []
  const supervisor = new Supervisor({
    ...{ sources: [source], cursor: 1_000, timers, random: () => 0 },
    ...{ backfillSlotsMax: 50, backfillMs: options.backfillMs ?? null },
    report: (_, reason) => reports.push(reason),
  })
  const ended = supervisor.start(new CollectingSink())
  await timers.pass(0)
  const beganAt = Math.floor(timers.wallMs() / 1_000) - 300
  const tell = (slot: number) => {
    const timestamp = beganAt + Math.floor(((slot - 1_000) * options.slotMs) / 1_000)
    const events = told(slot).events.map((event) => ({ ...event, timestamp }))
    source.receiver.transaction(told(slot, 0, { events }))
    source.receiver.slotComplete(slot, slot - 1)
  }
  source.receiver.connected()
  const stop = async () => {
    supervisor.stop()
    await timers.pass(0)
    await ended
  }
  return { source, supervisor, reports, tell, timers, stop }
}

/** Leaves slots out, and answers how many of them were given up. */
async function givenUp(
  { source, supervisor, tell, timers }: Awaited<ReturnType<typeof onChain>>,
  last: number,
): Promise<number> {
  tell(last + 501)
  await timers.pass(30_000)
  expect(source.askedSlots.length).toBeGreaterThan(0)
  return supervisor.figures().feed_slots_given_up_total
}

test('the length of a slot is what the chain shows, and readiness goes by it', async () => {
  const { source, supervisor, tell, stop } = await onChain({ slotMs: 200 })
  expect(supervisor.figures().feed_slot_ms).toBe(268)
  for (let slot = 1_001; slot <= 2_100; slot++) tell(slot)
  expect(supervisor.figures().feed_slot_ms).toBeGreaterThan(195)
  expect(supervisor.figures().feed_slot_ms).toBeLessThan(205)
  // A minute of slots of 200 ms.
  source.receiver.slotSeen(2_390)
  expect(supervisor.notLive()).toBeNull()
  source.receiver.slotSeen(2_410)
  expect(supervisor.notLive()).toMatch(/^The feed is 310 slots behind the chain, 6[0-3] s\.$/)
  await stop()
})

test('BACKFILL counts in place of BACKFILL_SLOTS, by the length that the chain has shown', async () => {
  const short = await onChain({ slotMs: 200, backfillMs: 20_000 })
  // 20 s of slots of 268 ms are 75.
  expect(await givenUp(short, 1_000)).toBe(500 - 75)
  await short.stop()
  const shown = await onChain({ slotMs: 200, backfillMs: 20_000 })
  for (let slot = 1_001; slot <= 2_100; slot++) shown.tell(slot)
  const kept = 500 - (await givenUp(shown, 2_100))
  expect(kept).toBeGreaterThanOrEqual(98)
  expect(kept).toBeLessThanOrEqual(102)
  await shown.stop()
  const slots = await onChain({ slotMs: 200 })
  expect(await givenUp(slots, 1_000)).toBe(500 - 50)
  await slots.stop()
})
