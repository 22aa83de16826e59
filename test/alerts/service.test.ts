import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { AlertOrders } from '../../src/alerts/alert-orders.ts'
import { ALERT_RULES_MAX } from '../../src/alerts/alert-rules.ts'
import { AlertService } from '../../src/alerts/alert-service.ts'
import { parseNetwork } from '../../src/base/public-address.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { gapEvent } from '../../src/events/event.ts'
import type { AlertCondition, AlertRule } from '../../src/protocol/alerts.ts'
import { byLength } from '../lengths.ts'
import { newFolder } from '../new-folder.ts'
import { created, price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'
import { until } from '../process/program.ts'
import { engineOf } from '../store/restoring.ts'
import { Receiver } from './receiver.ts'

const SECRET = 'a secret that is long enough'
const ALICE = new Random(49).base58(44)
const trade = (second: number, signer = ALICE) =>
  swap({ slot: 200 + second, timestamp: START_SECOND + second, signer })
const WALLET: AlertCondition = { kind: 'wallet', wallets: [ALICE] }
const NEW: AlertCondition = {
  ...{ kind: 'filter', change: 'either' },
  filter: { type: 'new', filters: { new: { txsBuys: { min: 2 } } }, limit: 50 },
}

/** A service on an engine, as a start has it; `published` is what the live channel gets. */
function serviceOn(engine: Engine, path: string | null, networks: readonly string[] = []) {
  const published: { readonly id: string; readonly n: number }[] = []
  const lines: string[] = []
  const log = (_fields: object, message: string) => void lines.push(message)
  const service = new AlertService({
    ...{ path, file: null, retryMs: 60_000, engine },
    networks: networks.flatMap((text) => {
      const network = parseNetwork(text)
      return network === null ? [] : [network]
    }),
    journalSeq: () => engine.seq,
    publish: (body, n) => void published.push({ id: JSON.parse(body).id, n }),
    nowMs: Date.now,
    log: { info: log, warn: log, error: log },
  })
  onTestFinished(() => service.close())
  return { service, published, lines, engine }
}

function ruleOf(
  id: string,
  when: AlertCondition,
  webhook: AlertRule['to']['webhook'] = null,
): AlertRule {
  const shown = {
    id,
    name: id,
    when:
      when.kind === 'filter'
        ? { ...when, filter: { type: 'new', newPools: when.filter.filters.new } }
        : when,
  }
  return { id, name: id, when, to: { live: true, webhook }, enabled: true, shown }
}

/** Tokens whose market cap is between two bounds of a few. */
const amongCaps = (i: number): AlertCondition => {
  const mCapUsd = { min: 2_000 + 1_000 * (i % 7), max: 9_000 + 1_000 * (i % 5) }
  const filter = { type: 'new', filters: { new: { mCapUsd } }, limit: 50 } as const
  return { kind: 'filter', change: 'either', filter }
}

/** A rule as an operator sends it. */
const newTokens = (id: string, min: number) => ({
  id,
  when: { kind: 'filter', filter: { type: 'new', newPools: { txsBuys: { min } } } },
  to: { live: true },
})

/** What the operator orders while the disk refuses. */
async function refusing<T>(path: string, order: () => Promise<T>): Promise<T> {
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  const answer = await order()
  other.exec('ROLLBACK')
  other.close()
  return answer
}

const idsOf = (published: readonly { readonly id: string }[]) => published.map(({ id }) => id)

test('alerts are published once they are stored, with a number each, in the order of their events', async () => {
  const engine = engineOf('event')
  const { service, published } = serviceOn(engine, null)
  service.recovered('e1')
  await service.put(ruleOf('w', WALLET))
  engine.events([price(150), created(), trade(1), trade(2), trade(3, 'bob')])
  expect(published).toEqual([])
  await turn()
  expect(published).toEqual([
    { id: 'e1:3:w', n: 1 },
    { id: 'e1:4:w', n: 2 },
  ])
})

test('a start of the same epoch goes on behind the stored position; of another one it begins anew', async () => {
  const path = join(newFolder(), 'alerts.db')
  const events = [price(150), created(), trade(1), trade(2), trade(3)]
  const first = serviceOn(engineOf('event'), path)
  // The engine of the options is the one that is looked at.
  const engine = engineOf('event')
  const one = serviceOn(engine, path)
  first.service.close()
  one.service.recovered('e1', { foundEpoch: 'e1', snapshotSeq: null })
  await one.service.put(ruleOf('w', WALLET))
  engine.events(events.slice(0, 3))
  await turn()
  // These are in the journal when the process is killed, and nobody has stored what was found at them.
  engine.events(events.slice(3))
  const again = engineOf('event')
  const two = serviceOn(again, path)
  two.service.beginRecovery()
  again.events(events)
  expect(two.published).toEqual([])
  two.service.recovered('e1', { foundEpoch: 'e1', snapshotSeq: null })
  expect(idsOf(two.published)).toEqual(['e1:4:w', 'e1:5:w'])
  two.service.close()
  const other = engineOf('event')
  const three = serviceOn(other, path)
  three.service.beginRecovery()
  other.events([...events, trade(4)])
  three.service.recovered('e2', { foundEpoch: 'e0', snapshotSeq: null })
  other.events([trade(5)])
  await turn()
  expect(idsOf(three.published)).toEqual(['e2:7:w'])
})

test('over kills at any turn, refused commits and orders on rules each alert is told once, as without them', async () => {
  const seed = Number(process.env.ALERTS_SEED ?? 0)
  for (let round = 1; round <= byLength(2, 8); round++) {
    const random = new Random(round * 7_919 + seed)
    const mints = Array.from({ length: 12 }, () => random.base58(44))
    const turns = Array.from({ length: 60 }, (_, second) =>
      Array.from({ length: random.integer(1, 8) }, () => ({
        ...trade(second + 1),
        ...{ mint: mints[random.integer(0, 11)] ?? '' },
        virtualQuoteRaw: random.pick([20_000_000_000n, 40_000_000_000n, 80_000_000_000n]),
      })),
    )
    /** Rules come, go and are replaced at the same turns of both. */
    const orders = turns.map(() =>
      random.chance(0.5) ? { id: `f${random.integer(0, 5)}`, isPut: random.chance(0.7) } : null,
    )
    const play = async (hasKills: boolean) => {
      let folder = newFolder()
      const folded = [price(150), ...mints.map((mint) => created({ mint }))]
      let on = serviceOn(engineOf('event'), join(folder, 'alerts.db'))
      let { engine } = on
      on.service.recovered('e')
      engine.events(folded)
      for (let i = 0; i < 6; i++) await on.service.put(ruleOf(`f${i}`, amongCaps(i)))
      const ids: string[] = []
      for (const [i, events] of turns.entries()) {
        engine.events(events)
        folded.push(...events)
        if (hasKills && random.chance(0.4)) await refusing(join(folder, 'alerts.db'), turn)
        // What was found at the last events is stored, or is not when the process is killed.
        if (!hasKills || random.chance(0.6)) await turn()
        if (hasKills && random.chance(0.3)) {
          ids.push(...idsOf(on.published))
          // What the killed one writes from here on is lost.
          const copied = newFolder()
          cpSync(folder, copied, { recursive: true })
          folder = copied
          on = serviceOn(engineOf('event'), join(folder, 'alerts.db'))
          engine = on.engine
          on.service.beginRecovery()
          engine.events(folded)
          on.service.recovered('e', { foundEpoch: 'e', snapshotSeq: null })
        }
        await turn()
        const order = orders[i]
        if (order?.isPut === true) await on.service.put(ruleOf(order.id, amongCaps(i)))
        else if (order && on.service.rules.has(order.id)) on.service.remove(order.id)
      }
      // What was refused at the last turn.
      on.service.look()
      // In order for each rule: which rule comes first at a moment is not promised.
      const ruleIn = (id: string) => id.split(':')[2] ?? ''
      return Object.groupBy([...ids, ...idsOf(on.published)], ruleIn)
    }
    const wanted = await play(false)
    expect(Object.values(wanted).flat().length).toBeGreaterThan(20)
    expect(await play(true), `seed ${seed}, round ${round}`).toEqual(wanted)
  }
})

test('a journal that lost its end under a new epoch tells what is left of it under the one before', async () => {
  const path = join(newFolder(), 'alerts.db')
  const engine = engineOf('event')
  const one = serviceOn(engine, path)
  one.service.recovered('e1')
  await one.service.put(ruleOf('w', WALLET))
  const again = engineOf('event')
  const two = serviceOn(again, path)
  two.service.beginRecovery()
  again.events([created(), trade(1)])
  two.service.recovered('e2', { foundEpoch: 'e1', snapshotSeq: null })
  again.events([trade(2)])
  await turn()
  expect(idsOf(two.published)).toEqual(['e1:2:w', 'e2:3:w'])
})

test('under a new epoch rules begin with the tokens of that start, whatever they had before', async () => {
  const path = join(newFolder(), 'alerts.db')
  const engine = engineOf('event')
  const one = serviceOn(engine, path)
  one.service.recovered('e1')
  await one.service.put(ruleOf('f', NEW))
  engine.events([created(), trade(1), trade(2)])
  await turn()
  expect(idsOf(one.published)).toEqual(['e1:3:f'])
  // The second trade is lost, and others came.
  const other = (second: number) => ({ ...trade(second), mint: 'other' })
  const again = engineOf('event')
  const two = serviceOn(again, path)
  two.service.beginRecovery()
  again.events([created(), trade(1), other(2), other(2)])
  two.service.recovered('e2', { foundEpoch: 'e1', snapshotSeq: null })
  again.events([other(3), trade(4)])
  await turn()
  expect(idsOf(two.published)).toEqual(['e2:6:f'])
})

test('a snapshot of events that were not looked at is said', async () => {
  const path = join(newFolder(), 'alerts.db')
  const engine = engineOf('event')
  const one = serviceOn(engine, path)
  one.service.recovered('e1')
  await one.service.put(ruleOf('w', WALLET))
  const again = engineOf('event')
  const two = serviceOn(again, path)
  again.events([created(), trade(1)])
  two.service.beginRecovery()
  two.service.recovered('e1', { foundEpoch: 'e1', snapshotSeq: 2 })
  expect(two.lines.join()).toContain('events that were not looked at')
})

test('no snapshot is made within a run that fills a gap, and all alerts of the run are told once over a kill in it', async () => {
  const path = join(newFolder(), 'alerts.db')
  const gap = { from: 201, to: 280, seconds: START_SECOND + 81 }
  const late = trade(10)
  const before = [
    ...[price(150), created(), trade(0, 'bob'), gapEvent('open', gap), trade(81, 'bob')],
    ...[gapEvent('filling', gap), late],
  ]
  const engine = engineOf('event')
  const one = serviceOn(engine, path)
  one.service.recovered('e1')
  await one.service.put(ruleOf('w', WALLET))
  engine.events(before.slice(0, -2))
  await one.service.sync()
  engine.events(before.slice(-2))
  await expect(one.service.sync()).rejects.toThrow(/A run of events that fills a gap has not ended/)
  // A kill: the next start folds the journal up to there, and ends the run.
  const again = engineOf('event')
  const two = serviceOn(again, path)
  two.service.beginRecovery()
  again.events(before)
  again.endFill()
  two.service.recovered('e1', { foundEpoch: 'e1', snapshotSeq: null })
  await two.service.sync()
  expect(idsOf(two.published)).toEqual([`e1:${before.length}:w`])
  again.events([gapEvent('filling', gap), late, trade(20), gapEvent('filled', gap)])
  await turn()
  await two.service.sync()
  expect(idsOf([...one.published, ...two.published])).toEqual([
    ...[`e1:${before.length}:w`, `e1:${again.seq}:w`],
  ])
})

test('while the disk refuses nothing is sent and no snapshot is made; then all of it comes', async () => {
  const path = join(newFolder(), 'alerts.db')
  const engine = engineOf('event')
  const { service, published, lines } = serviceOn(engine, path)
  service.recovered('e1')
  await service.put(ruleOf('w', WALLET))
  await service.put(ruleOf('f', NEW))
  const other = new DatabaseSync(path)
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  engine.events([price(150), created(), trade(1), trade(2), trade(3)])
  await turn()
  expect(published).toEqual([])
  await expect(service.sync()).rejects.toThrow(/Alerts cannot be stored .*locked/)
  expect(service.figures()).toMatchObject({ alert_store_failed: 1, alerts_found_total: 4 })
  await expect(service.put(ruleOf('x', WALLET))).rejects.toThrow('Alerts cannot be stored')
  other.exec('ROLLBACK')
  service.look()
  expect(idsOf(published)).toEqual(['e1:3:w', 'e1:4:w', 'e1:4:f', 'e1:5:w'])
  await service.sync()
  expect(lines.filter((line) => line === 'alerts are not stored').length).toBe(1)
})

test('another engine takes over without telling what it has that the other had not', async () => {
  const engine = engineOf('event')
  const { service, published } = serviceOn(engine, null)
  service.recovered('e1')
  await service.put(ruleOf('f', NEW))
  await service.put(ruleOf('w', WALLET))
  const next = engineOf('event')
  next.events([price(150), created(), trade(1), trade(2), trade(3)])
  service.use(next, 'e2')
  next.events([trade(4)])
  engine.events([created(), trade(1)])
  await turn()
  expect(idsOf(published)).toEqual(['e2:6:w'])
})

test('the last second of a while is compared when no other one comes', async () => {
  const engine = engineOf('event')
  const { service, published } = serviceOn(engine, null)
  service.recovered('e1')
  await service.put(ruleOf('f', NEW))
  engine.events([created(), trade(1)])
  engine.events([trade(1)])
  service.look()
  await turn()
  expect(idsOf(published)).toEqual([])
  service.look()
  await turn()
  expect(idsOf(published)).toEqual(['e1:3:f'])
  service.look()
  await turn()
  expect(published.length).toBe(1)
})

test('a rule that is disabled or removed finds nothing, and enabled again it begins with what is there', async () => {
  const engine = engineOf('event')
  const { service, published } = serviceOn(engine, null)
  service.recovered('e1')
  const rule = ruleOf('f', NEW)
  await service.put({ ...rule, enabled: false })
  engine.events([created(), trade(1), trade(2), trade(3)])
  await service.put(rule)
  engine.events([trade(4)])
  await turn()
  expect(published).toEqual([])
  service.remove('f')
  engine.events([created({ mint: 'other', slot: 300, timestamp: START_SECOND + 300 })])
  await turn()
  expect(published).toEqual([])
})

test('deliveries go on in order when a receiver comes back, each at least once', async () => {
  const receiver = new Receiver(SECRET)
  await receiver.start()
  onTestFinished(() => receiver.stop())
  const engine = engineOf('event')
  const { service, lines } = serviceOn(engine, null, ['127.0.0.1'])
  service.recovered('e1')
  receiver.mood = 'answers 500'
  await service.put(ruleOf('w', WALLET, { url: receiver.url, secret: SECRET }))
  engine.events([created(), ...Array.from({ length: 200 }, (_, i) => trade(i + 1))])
  await until('a first attempt', async () => (receiver.came.length > 0 ? true : null))
  await receiver.stop()
  receiver.mood = 'takes'
  await receiver.start()
  await until('all', async () => (receiver.taken.length >= 200 ? true : null))
  expect(receiver.taken.map(({ seq }) => seq)).toEqual(Array.from({ length: 200 }, (_, i) => i + 2))
  // The answer to the last one is still on its way.
  await until('an empty queue', async () => (service.figures().alert_queue === 0 ? true : null))
  expect(service.figures()).toMatchObject({ alert_deliveries_total: 200 })
  expect(lines).toEqual([
    'a webhook does not take a delivery: it is repeated',
    'a webhook takes deliveries again',
  ])
})

test('an order that the disk refuses changes nothing, now or at the next start', async () => {
  const path = join(newFolder(), 'alerts.db')
  const [receiver, other] = [new Receiver(SECRET), new Receiver(SECRET)]
  for (const one of [receiver, other]) {
    await one.start()
    onTestFinished(() => one.stop())
  }
  const engine = engineOf('event')
  const { service } = serviceOn(engine, path, ['127.0.0.1'])
  service.recovered('e1')
  const orders = new AlertOrders(service, () => true)
  const rule = (id: string, { url }: Receiver) => ({
    ...{ id, when: WALLET, to: { webhook: { url, secret: SECRET } } },
  })
  await orders.create(rule('w', receiver))
  const before = orders.list()
  const refused = await refusing(path, () =>
    Promise.all([
      ...[orders.create(rule('x', other)), orders.replace('w', rule('w', other))],
      ...[orders.enable('w', false), orders.remove('w')],
    ]),
  )
  const message = expect.stringMatching(/^Alerts cannot be stored .*: none is sent until they can/)
  expect(refused).toEqual(refused.map(() => ({ refused: 'unstored', message })))
  service.look()
  expect(orders.list()).toEqual(before)
  engine.events([created(), trade(1), trade(2)])
  await until('both', async () => (receiver.taken.length > 1 ? true : null))
  expect(other.came).toEqual([])
  const stored = () => {
    const next = serviceOn(engineOf('event'), path)
    next.service.beginRecovery()
    return [...next.service.rules.values()].map(({ rule: { id, enabled, to } }) => [
      ...[id, enabled, to.webhook?.url],
    ])
  }
  expect(stored()).toEqual([['w', true, receiver.url]])
  expect(await orders.remove('w')).toHaveProperty('message')
  expect(stored()).toEqual([])
})

test('orders on dead letters are refused with a sentence while the disk refuses', async () => {
  const path = join(newFolder(), 'alerts.db')
  const { service } = serviceOn(engineOf('event'), path)
  service.recovered('e1')
  const orders = new AlertOrders(service, () => true)
  const all = { rule: null, n: null }
  await orders.create(newTokens('f', 2))
  expect(orders.resend(all)).toEqual({ resent: 0 })
  const refused = await refusing(path, async () => [orders.resend(all), orders.drop(all)])
  const message = expect.stringMatching(
    /^The dead letters cannot be reached .*: nothing was changed/,
  )
  expect(refused).toEqual(refused.map(() => ({ refused: 'unstored', message })))
  expect(orders.drop(all)).toEqual({ dropped: 0 })
})

test('the tokens that a rule begins with are stored with it, and none of the rule in whose place it is', async () => {
  const path = join(newFolder(), 'alerts.db')
  const events = [created(), trade(1), trade(2)]
  const engine = engineOf('event')
  const one = serviceOn(engine, path)
  one.service.recovered('e1')
  const orders = new AlertOrders(one.service, () => true)
  await orders.create(newTokens('f', 2))
  engine.events(events)
  await orders.replace('f', newTokens('f', 50))
  await orders.create(newTokens('g', 2))
  expect(idsOf(one.published)).toEqual(['e1:3:f'])
  const again = engineOf('event')
  const two = serviceOn(again, path)
  two.service.beginRecovery()
  again.events(events)
  two.service.recovered('e1', { foundEpoch: 'e1', snapshotSeq: null })
  again.events([trade(3), trade(4)])
  await turn()
  expect(two.published).toEqual([])
})

test('of orders that come at once each one sees what the one before has changed', async () => {
  const { service } = serviceOn(engineOf('event'), null)
  service.recovered('e1')
  const orders = new AlertOrders(service, () => true)
  const created = await Promise.all([
    orders.create(newTokens('r', 1)),
    orders.create(newTokens('r', 2)),
  ])
  expect(created).toMatchObject([{ id: 'r' }, { refused: 'conflict' }])
  await Promise.all([orders.replace('r', newTokens('r', 3)), orders.remove('r')])
  expect(orders.list()).toMatchObject({ rules: [] })
  const many = Array.from({ length: ALERT_RULES_MAX + 1 }, (_, i) =>
    orders.create({ id: `r${i}`, when: WALLET, to: { live: true } }),
  )
  const refused = (await Promise.all(many)).filter((answer) => 'refused' in answer)
  expect(refused).toMatchObject([{ message: 'There are 200 rules, which is the most.' }])
})
