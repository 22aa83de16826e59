/** Folders whose journal ends within a run of events that fills a gap. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AlertService } from '../../src/alerts/alert-service.ts'
import { Durability } from '../../src/app/durability.ts'
import { Service } from '../../src/app/service.ts'
import { targetOf } from '../../src/app/stream-copy.ts'
import { readConfig } from '../../src/config/config.ts'
import { gapEvent } from '../../src/events/event.ts'
import type { AlertRule } from '../../src/protocol/alerts.ts'
import { JournaledEngine } from '../../src/store/journal/journaled-engine.ts'
import { MessageWriter, readMessage, type StreamMessage } from '../../src/stream/stream-message.ts'
import { newFolder } from '../new-folder.ts'
import { created, price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'
import { until } from '../process/program.ts'
import { messageLog } from '../stream/message-log.ts'
import { BEGINNING, EPOCH } from '../stream/real-stream.ts'

const ALICE = new Random(49).base58(44)
const GAP = { from: 101, to: 180, seconds: START_SECOND + 81 }
const RULE: AlertRule = {
  ...{ id: 'w', name: 'w', when: { kind: 'wallet', wallets: [ALICE] } },
  ...{ to: { live: true, webhook: null }, enabled: true },
  shown: { id: 'w', name: 'w', when: { kind: 'wallet', wallets: [ALICE] } },
}
const trade = (slot: number, signer = 'bob') =>
  swap({ slot, timestamp: START_SECOND + slot - 100, signer, signature: `s${slot}` })
const BEFORE = [price(150), created({ slot: 90 }), trade(100), gapEvent('open', GAP), trade(181)]
const RUN = [
  ...[gapEvent('filling', GAP), trade(110, ALICE), trade(120, ALICE)],
  gapEvent('filled', GAP),
]

/** A start of a service on a folder, with alerts. */
async function started(
  folder: string,
  stream?: { readonly epoch: string; readonly isNew: boolean },
) {
  const config = readConfig([], { DATA_DIR: folder, CLOCK: 'event' })
  const service = new Service(config)
  const lines: string[] = []
  const told: string[] = []
  const tell = (_fields: object, message: string) => void lines.push(message)
  const log = { info: tell, warn: tell, error: tell }
  const { engine } = service
  const alerts = new AlertService({
    ...{ path: join(folder, 'alerts.db'), file: null, retryMs: 60_000, engine, networks: [], log },
    ...{ nowMs: Date.now, journalSeq: () => durability?.seq ?? 0 },
    publish: (body) => void told.push(JSON.parse(body).id),
  })
  let durability: Durability | null = null
  const open = await Durability.open({
    ...{ config, folder, service, log, onFailure: () => {}, onSeeding: () => {} },
    ...(stream === undefined ? {} : { stream }),
    ...{ onDiskCall: () => {}, beforeSnapshot: () => alerts.sync() },
    onLocked: () => alerts.beginRecovery(),
  })
  durability = open
  alerts.recovered(open.epoch, open.found)
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    await open.close()
    alerts.close()
  }
  onTestFinished(close)
  return { service, durability: open, alerts, lines, told, close }
}

test('a service that is stopped within a run tells the alerts of what came, once, and its last snapshot is made', async () => {
  const folder = newFolder()
  const one = await started(folder)
  await one.alerts.put(RULE)
  one.service.events([...BEFORE, ...RUN.slice(0, 2)])
  await one.close()
  expect(one.told).toHaveLength(1)
  expect(one.lines).toContain('snapshot made and verified')
  expect(one.lines).not.toContain('snapshot failed')
  const two = await started(folder)
  expect(two.durability.found.snapshotSeq).toBe(BEFORE.length + 2)
  two.service.events(RUN)
  await two.close()
  expect([...one.told, ...two.told]).toHaveLength(2)
  expect(two.lines).not.toContain('snapshot failed')
})

/** A run as messages of the stream, each of which ends behind one of its events. */
function messagesOf(): StreamMessage[] {
  const messages: StreamMessage[] = []
  const writer = new MessageWriter(BEGINNING, (message) => messages.push(message))
  const log = messageLog(writer)
  const { engine } = new Service(readConfig([], { DATA_DIR: 'none', CLOCK: 'event' }))
  const journaled = new JournaledEngine(engine, log)
  journaled.settings()
  journaled.events(BEFORE)
  for (const event of RUN) journaled.events([event])
  return messages
}

test('a sequencer makes no snapshot while its folder has a part of a run alone', async () => {
  const { durability, lines, close } = await started(newFolder(), { epoch: EPOCH, isNew: true })
  const messages = messagesOf().map(({ bytes, index }) => ({ ...readMessage(bytes, index), bytes }))
  for (const message of messages.slice(0, -1)) durability.copy.write(message)
  const made = durability.snapshot()
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(durability.figures()).toMatchObject({ snapshot_running: 1, snapshot_seq: 0 })
  expect(lines).not.toContain('snapshot made and verified')
  for (const message of messages.slice(-1)) durability.copy.write(message)
  expect(await made).toBe(`The newest snapshot holds seq ${BEFORE.length + RUN.length}.`)
  await close()
})

test('a replica writes and folds all messages of a run in one turn, and makes snapshots behind them', async () => {
  const copy = await started(newFolder(), { epoch: EPOCH, isNew: false })
  await copy.alerts.put(RULE)
  const target = targetOf(() => copy)
  expect(target.takesRunsWhole).toBe(true)
  const messages = messagesOf().map(({ bytes, index }) => ({ ...readMessage(bytes, index), bytes }))
  for (const message of messages.slice(0, -RUN.length)) target.take([message])
  let folds = 0
  copy.service.onFolded = () => {
    folds += 1
  }
  target.take(messages.slice(-RUN.length))
  expect(folds).toBe(1)
  expect(target.seq).toBe(copy.service.engine.seq)
  await until('both are told', async () => (copy.told.length === 2 ? true : null))
  expect(await copy.durability.snapshot()).toMatch(/^The newest snapshot holds/)
  // Where a run is cut off, what came of it is folded, and no snapshot waits for what does not come.
  const cut = await started(newFolder(), { epoch: EPOCH, isNew: false })
  targetOf(() => cut).take(messages.slice(0, -1))
  expect(cut.service.engine.areFactsWaiting).toBe(false)
  expect(await cut.durability.snapshot()).toMatch(/^The newest snapshot holds/)
})
