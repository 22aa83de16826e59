import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import {
  type Commit,
  DEAD_MAX,
  LIVE_ALERTS_MAX,
  Outbox,
  type OutgoingAlert,
  QUEUED_OF_RULE_MAX,
} from '../../src/alerts/outbox.ts'
import { newFolder } from '../new-folder.ts'

const POSITION = { epoch: 'e', journalSeq: 9, seq: 7, roundSeq: 6, second: 5 }

function alert(n: number, rule = 'r', over: Partial<OutgoingAlert> = {}): OutgoingAlert {
  return { rule, id: `e:${n}:${rule}`, body: `{"n":${n}}`, toWebhook: true, toLive: false, ...over }
}

function commitOf(alerts: readonly OutgoingAlert[], over: Partial<Commit> = {}): Commit {
  return { rules: [], position: POSITION, alerts, pages: [], delivered: [], nowMs: 1_000, ...over }
}

function opened(path: string | null): Outbox {
  const outbox = Outbox.open(path)
  onTestFinished(() => outbox.close())
  return outbox
}

test('what was stored together is there after the file is opened again', () => {
  const path = join(newFolder(), 'alerts.db')
  const first = Outbox.open(path)
  const rule = { id: 'r', body: '{"id":"r"}', condition: 'c' }
  const pages = [['r', 3, new Uint8Array([1, 2, 3])]] as const
  const both = [alert(1), alert(2, 'r', { toLive: true })]
  const flips = new Map([['r', [7, 6]]])
  expect(first.commit(commitOf(both, { rules: [rule], pages, flips }))).toEqual([1])
  // Killed: nothing is closed.
  const again = opened(path)
  expect(again.position).toEqual(POSITION)
  expect(again.rules).toEqual([rule.body])
  const stored = { pages: new Map([[3, new Uint8Array([1, 2, 3])]]), flips: [7, 6] }
  expect(again.tokensOf('r', 'c')).toEqual(stored)
  expect(again.tokensOf('r', 'another condition')).toBe(null)
  expect(again.queued('r', 0, 10).map(({ id }) => id)).toEqual(['e:1:r', 'e:2:r'])
  expect([again.queuedCount, again.liveHead, again.liveSince(0, 9)]).toEqual([2, 1, ['{"n":2}']])
  first.close()
})

test('the file is for its owner alone, since secrets are in it', () => {
  const path = join(newFolder(), 'alerts.db')
  opened(path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(`${path}-wal`).mode & 0o077).toBe(0)
})

test('a file that is no outbox is refused with a sentence that says what to do', () => {
  const path = join(newFolder(), 'alerts.db')
  writeFileSync(
    path,
    'this is no database, and it is long enough to be looked at as one'.repeat(20),
  )
  expect(() => Outbox.open(path)).toThrow(
    /alerts\.db cannot be used .*: put back a copy, or move it away/,
  )
})

test('a commit that fails leaves nothing behind, counts among it', () => {
  const outbox = opened(null)
  outbox.commit(commitOf([alert(1)]))
  const failing = (function* () {
    yield ['r', 1, new Uint8Array(1)] as const
    throw new Error('the disk refuses')
  })()
  const two = [alert(2), alert(3, 'r', { toLive: true })]
  expect(() => outbox.commit(commitOf(two, { pages: failing, delivered: [1] }))).toThrow('refuses')
  expect([outbox.queuedCount, outbox.queuedOf('r'), outbox.liveHead]).toEqual([1, 1, 0])
  expect(outbox.queued('r', 0, 10).map(({ id }) => id)).toEqual(['e:1:r'])
  expect(outbox.commit(commitOf(two))).toEqual([1])
})

test('a delivery that arrived is gone, and one that is repeated in between is not counted twice', () => {
  const outbox = opened(null)
  outbox.commit(commitOf([alert(1), alert(2)]))
  outbox.commit(commitOf([], { delivered: [1] }))
  outbox.commit(commitOf([], { delivered: [1] }))
  expect(outbox.queued('r', 0, 10).map(({ id }) => id)).toEqual(['e:2:r'])
  expect(outbox.queuedCount).toBe(1)
})

test('past the bound of a rule deliveries become dead letters at once, and other rules have room', () => {
  const outbox = opened(null)
  const many = Array.from({ length: QUEUED_OF_RULE_MAX + 2 }, (_, n) => alert(n))
  outbox.commit(commitOf([...many, alert(1, 'other')]))
  expect([outbox.queuedOf('r'), outbox.queuedOf('other')]).toEqual([QUEUED_OF_RULE_MAX, 1])
  const dead = outbox.dead(null, 0, 10)
  expect(dead.map(({ id, dead: reason }) => [id, reason])).toEqual([
    [`e:${QUEUED_OF_RULE_MAX}:r`, 'queue_full'],
    [`e:${QUEUED_OF_RULE_MAX + 1}:r`, 'queue_full'],
  ])
  // There is no room yet: nothing is taken out of the dead letters that would come back at once.
  expect(outbox.resend('r', null, 2_000)).toBe(0)
  outbox.commit(commitOf([], { delivered: [outbox.queued('r', 0, 1)[0]?.n ?? 0] }))
  expect(outbox.resend('r', null, 2_000)).toBe(1)
  expect([outbox.deadCount, outbox.queuedOf('r')]).toEqual([1, QUEUED_OF_RULE_MAX])
})

test('dead letters of a rule are sent again though the queue of another one is full', () => {
  const outbox = opened(null)
  const full = Array.from({ length: QUEUED_OF_RULE_MAX + 1 }, (_, n) => alert(n))
  outbox.commit(commitOf([...full, alert(1, 'other')]))
  for (const letter of outbox.queued('other', 0, 1)) outbox.bury(letter, 'it answered (500)')
  expect(outbox.resend(null, null, 2_000)).toBe(1)
  expect([outbox.deadCount, outbox.queuedOf('other')]).toEqual([1, 1])
})

test('past their bound the oldest dead letters are dropped and counted', () => {
  const outbox = opened(null)
  const full = Array.from({ length: QUEUED_OF_RULE_MAX + DEAD_MAX + 3 }, (_, n) => alert(n))
  outbox.commit(commitOf(full))
  expect([outbox.deadCount, outbox.droppedDead]).toEqual([DEAD_MAX, 3])
  expect(outbox.dead(null, 0, 1).map(({ id }) => id)).toEqual([`e:${QUEUED_OF_RULE_MAX + 3}:r`])
})

test('dead letters outlive a restart, and are sent again behind what waits, with their ids', () => {
  const path = join(newFolder(), 'alerts.db')
  const first = Outbox.open(path)
  first.commit(commitOf([alert(1), alert(2), alert(3, 'other')]))
  for (const letter of [...first.queued('r', 0, 1), ...first.queued('other', 0, 1)])
    first.bury(letter, 'it answered (500)')
  first.close()
  const again = opened(path)
  expect(again.dead('r', 0, 9)).toMatchObject([{ id: 'e:1:r', dead: 'it answered (500)' }])
  expect([again.deadCount, again.queuedOf('r')]).toEqual([2, 1])
  expect(again.resend('r', null, 2_000)).toBe(1)
  expect(again.queued('r', 0, 9).map(({ id }) => id)).toEqual(['e:2:r', 'e:1:r'])
  expect(again.drop(null, again.dead(null, 0, 1)[0]?.n ?? 0)).toBe(1)
  expect([again.deadCount, again.queuedCount]).toEqual([0, 2])
})

test('a rule that is removed takes with it what waits, and its dead letters', () => {
  const outbox = opened(null)
  const rules = [{ id: 'r', body: '{}', condition: 'c' }]
  outbox.commit(commitOf([alert(1), alert(2), alert(1, 'other')], { rules }))
  for (const letter of outbox.queued('r', 0, 1)) outbox.bury(letter, 'x')
  outbox.removeRule('r')
  expect([outbox.queuedCount, outbox.deadCount, outbox.rules]).toEqual([1, 0, []])
})

test('alerts of one rule are read by their numbers, after the file is opened again too', () => {
  const path = join(newFolder(), 'alerts.db')
  const first = opened(path)
  const live = ['a', 'b', 'a', 'c', 'a'].map((rule, n) =>
    alert(n, rule, { body: JSON.stringify({ n, rule }), toLive: true }),
  )
  first.commit(commitOf([...live.slice(0, 4), alert(9)]))
  first.commit(commitOf(live.slice(4)))
  for (const outbox of [first, opened(path)]) {
    const read = (after: number | null, limit: number, rule: string | null) =>
      outbox.livePage({ after, limit, rule }).alerts.map(({ n }) => n)
    expect([read(null, 2, 'a'), read(0, 2, 'a'), read(3, 9, 'a')]).toEqual([[3, 5], [1, 3], [5]])
    expect([read(null, 9, 'c'), read(null, 2, null), read(1, 2, null)]).toEqual([
      [4],
      [4, 5],
      [2, 3],
    ])
    expect(outbox.livePage({ after: null, limit: 1, rule: null }).first).toBe(1)
  }
})

test('the live channel tells again as many alerts as are stored, and says when one is not', () => {
  const outbox = opened(null)
  const live = (n: number) => alert(n, 'r', { toLive: true, toWebhook: false })
  outbox.commit(commitOf(Array.from({ length: LIVE_ALERTS_MAX }, (_, n) => live(n + 1))))
  expect(outbox.liveSince(0, 1)).toEqual(['{"n":1}'])
  expect(outbox.commit(commitOf([live(0)]))).toEqual([LIVE_ALERTS_MAX + 1])
  expect(outbox.liveSince(0, 1)).toBe(null)
  expect(outbox.livePage({ after: 0, limit: 1, rule: 'r' }).alerts.map(({ n }) => n)).toEqual([2])
  expect(outbox.liveSince(1, 2)).toEqual(['{"n":2}', '{"n":3}'])
  expect(outbox.liveSince(LIVE_ALERTS_MAX + 1, 2)).toEqual([])
})

test('no commit takes the log to the file, a thread beside the loop does, and the log begins anew behind it', async () => {
  const path = join(newFolder(), 'alerts.db')
  const outbox = opened(path)
  const alerts = Array.from({ length: 100 }, (_, n) => alert(n, 'r', { body: 'x'.repeat(1_000) }))
  const [file, log] = [() => statSync(path).size, () => statSync(`${path}-wal`).size]
  // Frames of the log, and those that are in the file: places 16 and 96 of SQLite's WAL-index, by its document of the format.
  const untaken = () => {
    const index = readFileSync(`${path}-shm`)
    return index.readUInt32LE(16) - index.readUInt32LE(96)
  }
  const empty = file()
  // More than 1,000 pages of the log, at which SQLite would take it by itself.
  for (let i = 0; i < 40; i++) outbox.commit(commitOf(alerts))
  expect(file()).toBe(empty)
  // With this one there is enough for the thread.
  outbox.commit(commitOf(alerts))
  const first = log()
  // However slow the disk is: what comes next waits until all is in the file.
  for (let round = 0; round < 6; round++) {
    await expect.poll(untaken, { timeout: 60_000 }).toBe(0)
    await setTimeout(100)
    for (let i = 0; i < 41; i++) outbox.commit(commitOf(alerts))
  }
  expect(log()).toBeLessThan(4 * first)
})

/** Reads the file from another thread, for as long as it is told, so that no sync can come to its end. */
const READER = `
const { parentPort, workerData: { path, ms } } = require('node:worker_threads')
const database = new (require('node:sqlite').DatabaseSync)(path)
database.exec('BEGIN')
database.prepare('SELECT * FROM place').get()
parentPort.postMessage(null)
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
database.exec('ROLLBACK')
`

test.each([
  ['waits for another thread that is at work on the file', 200, null],
  ['that has to wait for too long is told, as nothing was synced', 3_000, 'busy for 1000 ms'],
] as const)('a sync %s', async (_, ms, refusal) => {
  const path = join(newFolder(), 'alerts.db')
  const outbox = opened(path)
  await outbox.sync()
  const reader = new Worker(READER, { eval: true, workerData: { path, ms } })
  onTestFinished(() => void reader.terminate())
  await once(reader, 'message')
  outbox.commit(commitOf([alert(1)]))
  if (refusal !== null) return expect(outbox.sync()).rejects.toThrow(refusal)
  const { mtimeMs } = statSync(path)
  // Trades go on meanwhile.
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  await outbox.sync()
  clearInterval(counting)
  expect(turns).toBeGreaterThan(10)
  // The log is in the file.
  expect(statSync(path).mtimeMs).toBeGreaterThan(mtimeMs)
})
