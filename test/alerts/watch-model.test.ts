import { expect, test } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import type { AlertCondition, AlertRule, FoundAlert } from '../../src/protocol/alerts.ts'
import type { TablesQuery } from '../../src/protocol/queries.ts'
import { AlertWatch, type StoredTokens } from '../../src/query/alerts/alert-watch.ts'
import { WIDE_SECONDS } from '../../src/query/alerts/token-rules.ts'
import { byLength } from '../lengths.ts'
import { randomTables } from '../model/random-queries.ts'
import { created } from '../oracle/fixtures.ts'
import { history } from '../oracle/histories.ts'
import { Oracle } from '../oracle/oracle.ts'
import { Random } from '../oracle/random.ts'
import { engineOf, restored } from '../store/restoring.ts'
import { NaiveTokens } from './naive-alerts.ts'

const EVENTS = 60
/** Histories of each test; ALERT_SEEDS for any other number. */
const SEEDS = Number(process.env.ALERT_SEEDS ?? byLength(40, 100))
const VALUES = [4_000, 5_000, 10_000, 30_000] as const
const PRICES = [0.000004, 0.000005, 0.00001] as const

function ruleOf(id: string, when: AlertCondition): AlertRule {
  return { id, name: id, when, to: { live: true, webhook: null }, enabled: true, shown: {} }
}

/** A history whose last event comes so late that every rule is held against all tokens at it. */
function endedHistory(seed: number): FeedEvent[] {
  const events = history(seed, EVENTS)
  const newest = Math.max(...events.map(({ timestamp }) => timestamp))
  const slots = events.flatMap((event) =>
    'slot' in event && event.slot !== null ? [event.slot] : [],
  )
  const slot = slots.length === 0 ? null : Math.max(...slots) + 1
  const at = { slot, txIndex: slot === null ? null : 0, timestamp: newest + WIDE_SECONDS }
  return [...events, created({ ...at, mint: 'the end', signature: 'the end' })]
}

/** Without `devSoldAll`, of which tables of the engine and of the oracle differ too: history 689 shows it. */
function tables(random: Random): TablesQuery {
  const query = randomTables(random)
  const groups = Object.entries(query.filters).map(([group, filters]) => {
    const { devSoldAll: _, ...others } = filters
    return [group, others]
  })
  return { ...query, filters: Object.fromEntries(groups) }
}

/** Rules of every kind, with mints and wallets of a history. */
function rulesOf(random: Random, events: readonly FeedEvent[]): readonly AlertRule[] {
  const mints = events.flatMap((event) => ('mint' in event ? [event.mint] : []))
  const signers = events.flatMap((event) => (event.type === 'swap' ? [event.signer] : []))
  const creators = events.flatMap((event) =>
    event.type === 'token_created' ? [event.creator] : [],
  )
  const mint = () => mints[random.integer(0, mints.length - 1)] ?? ''
  const either = () => random.pick(['up', 'down', 'either'] as const)
  const change = () => random.pick(['enter', 'leave', 'either'] as const)
  const filter = (id: string) =>
    ruleOf(id, { kind: 'filter', change: 'either', filter: tables(random) })
  return [
    ...['f1', 'f2', 'f3', 'f4'].map(filter),
    ruleOf('one-way', { kind: 'filter', change: change(), filter: tables(random) }),
    ruleOf('all caps', {
      kind: 'market_cap',
      value: random.pick(VALUES),
      direction: 'either',
      mint: null,
    }),
    ruleOf('cap', {
      kind: 'market_cap',
      value: random.pick(VALUES),
      direction: 'either',
      mint: mint(),
    }),
    ruleOf('prices', {
      kind: 'price',
      value: random.pick(PRICES),
      direction: 'either',
      mint: null,
    }),
    ruleOf('price', {
      kind: 'price',
      value: random.pick(PRICES),
      direction: either(),
      mint: mint(),
    }),
    ruleOf('wallet', { kind: 'wallet', wallets: [...new Set(signers.slice(0, 2))] }),
    ruleOf('launch', { kind: 'launch', creators: creators.slice(0, 1) }),
    ruleOf('migration', { kind: 'migration', mint: random.chance(0.5) ? mint() : null }),
  ]
}

/** Rules of which both ways are told, so that their tokens are known from what is told. */
function isWhole({ when }: AlertRule): boolean {
  if (when.kind === 'filter') return when.change === 'either'
  return (when.kind === 'price' || when.kind === 'market_cap') && when.direction === 'either'
}

/** A watch on an engine, and what it found. */
function watched(engine: Engine) {
  const found: FoundAlert[] = []
  const watch = new AlertWatch(engine, (one) => found.push(one))
  return { engine, watch, found }
}

function beginAtStart({ engine, watch }: ReturnType<typeof watched>, rules: readonly AlertRule[]) {
  watch.begin(engine, { seq: 0, roundSeq: 0, second: 0 })
  for (const rule of rules) watch.add(rule, null)
}

/** Facts that an event must make, as rule and event; the rest is of tokens. */
function factsOf(event: FeedEvent, rules: readonly AlertRule[]): string[] {
  return rules.flatMap(({ id, when }) => {
    if (when.kind === 'wallet' && event.type === 'swap' && when.wallets.includes(event.signer))
      return [`${id} wallet_traded`]
    if (
      when.kind === 'launch' &&
      event.type === 'token_created' &&
      when.creators.includes(event.creator)
    )
      return [`${id} token_launched`]
    const isMigration = when.kind === 'migration' && event.type === 'migrated'
    return isMigration && (when.mint ?? event.mint) === event.mint ? [`${id} token_migrated`] : []
  })
}

const TOKEN_EVENTS: readonly string[] = [
  'filter_entered',
  'filter_left',
  'price_crossed',
  'market_cap_crossed',
]
const isOfTokens = ({ event }: FoundAlert) => TOKEN_EVENTS.includes(event)

/** Runs a history beside the oracle; faults as sentences. */
function faultsOf(seed: number): { faults: string[]; found: readonly FoundAlert[] } {
  const random = new Random(seed ^ 0xa1e)
  const events = endedHistory(seed)
  const rules = rulesOf(random, events)
  const oracle = new Oracle({ clock: 'event', proRule: { trades: 6, mints: 2 } })
  const one = watched(engineOf('event', 1 << 12))
  const { engine, found } = one
  beginAtStart(one, rules)
  const naive = rules.filter(isWhole).map((rule) => new NaiveTokens(rule))
  const faults: string[] = []
  const named = new Set<string>()
  const created = new Set<string>()
  const migrated = new Set<string>()
  let newest = 0
  let roundBefore = 0
  const check = (from: number, isRound: boolean) => {
    const ofTokens = found.slice(from).filter(isOfTokens)
    if (!isRound && ofTokens.length > 0) faults.push('tokens are told of between two seconds')
    if (!isRound) return
    const mints = oracle.mints()
    const first = new Set(
      mints.filter((mint) => !created.has(mint) && bornAt(oracle, mint) > roundBefore),
    )
    for (const rule of naive) {
      const ofRule = ofTokens.filter((alert) => alert.rule === rule.rule.id)
      faults.push(
        ...rule
          .round(ofRule, oracle, mints, named, newest, first)
          .map((fault) => `${rule.rule.id}: ${fault}`),
      )
    }
    named.clear()
    roundBefore = newest
  }
  for (const event of events) {
    const [taken, from] = [oracle.taken, found.length]
    oracle.apply(event)
    engine.accept(event)
    const isTaken = oracle.taken > taken
    const isPlaced = 'slot' in event
    const isFirst = isTaken && isFirstOf(event, created, migrated)
    const facts = isTaken && isFirst ? factsOf(event, rules) : []
    const told = found.slice(from).filter((alert) => !isOfTokens(alert))
    const shown = told.map(({ rule, event: name }) => `${rule} ${name}`)
    if (shown.join() !== facts.join())
      faults.push(`${event.type}: ${shown.join()} for ${facts.join()}`)
    for (const { seq } of found.slice(from)) if (seq !== engine.seq) faults.push(`seq ${seq}`)
    // What changes a token without a place, as its texts, names it too.
    if ('mint' in event && (isTaken || event.type === 'metadata')) named.add(event.mint)
    const isRound = isTaken && isPlaced && event.timestamp > newest
    if (isTaken && isPlaced) newest = Math.max(newest, event.timestamp)
    check(from, isRound)
  }
  for (const rule of naive) {
    const differing = rule.differing(oracle, oracle.mints())
    if (differing.length > 0) faults.push(`${rule.rule.id} ends with others: ${differing.join()}`)
  }
  return { faults, found }
}

function bornAt(oracle: Oracle, mint: string): number {
  const [row] = oracle.marketData([mint]) as readonly Readonly<Record<string, unknown>>[]
  return Date.parse(`${row?.timestamp}Z`) / 1000
}

/** The first creation and the first migration of a mint count. */
function isFirstOf(event: FeedEvent, created: Set<string>, migrated: Set<string>): boolean {
  if (event.type !== 'token_created' && event.type !== 'migrated') return true
  const known = event.type === 'token_created' ? created : migrated
  if (known.has(event.mint)) return false
  known.add(event.mint)
  return true
}

test('alerts are those of an evaluator that asks for everything anew at each second', () => {
  const kinds = new Set<string>()
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { faults, found } = faultsOf(seed)
    expect(faults, `seed ${seed}`).toEqual([])
    for (const { event } of found) kinds.add(event)
  }
  expect([...kinds].sort()).toEqual(
    [...TOKEN_EVENTS, 'token_launched', 'token_migrated', 'wallet_traded'].sort(),
  )
})

/** What is stored of a watch. */
function storedOf(watch: AlertWatch) {
  // Of each second rule as pages, of the others token by token.
  const changed = [...watch.takeChanged((rule) => rule.length % 2 === 0)]
  const tokens = new Map(changed.map(([rule, stored]) => [rule, stored]))
  return { position: watch.position, tokens }
}

function goOn(
  rules: readonly AlertRule[],
  { position, tokens }: ReturnType<typeof storedOf>,
  engine: Engine,
) {
  const next = watched(engine)
  next.watch.begin(engine, position)
  const none: StoredTokens = { pages: new Map(), flips: [] }
  for (const rule of rules) next.watch.add(rule, tokens.get(rule.id) ?? none, 0)
  return next
}

test('a start that folds the journal again finds the same behind the stored position, and nothing before it', () => {
  let compared = 0
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = new Random(seed ^ 0xc4a5)
    const events = endedHistory(seed)
    const rules = rulesOf(random, events)
    const cut = random.integer(0, EVENTS - 1)
    const whole = watched(engineOf('event', 1 << 12))
    beginAtStart(whole, rules)
    whole.engine.events(events.slice(0, cut))
    const stored = storedOf(whole.watch)
    const before = whole.found.length
    whole.engine.events(events.slice(cut))
    const again = goOn(rules, stored, engineOf('event', 1 << 12))
    again.engine.events(events)
    expect(again.found, `seed ${seed}`).toEqual(whole.found.slice(before))
    compared += again.found.length
  }
  expect(compared).toBeGreaterThan(100)
})

test('a start from a snapshot of before the stored position finds every fact behind it, and the same tokens at the end', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = new Random(seed ^ 0x5a9)
    const events = endedHistory(seed)
    const rules = rulesOf(random, events)
    const snapshotAt = random.integer(0, EVENTS - 1)
    const cut = random.integer(snapshotAt, EVENTS - 1)
    const whole = watched(engineOf('event', 1 << 12))
    beginAtStart(whole, rules)
    whole.engine.events(events.slice(0, cut))
    const stored = storedOf(whole.watch)
    const before = whole.found.length
    whole.engine.events(events.slice(cut))
    const snapshot = engineOf('event', 1 << 12)
    snapshot.events(events.slice(0, snapshotAt))
    const again = goOn(rules, stored, restored(snapshot, engineOf('event', 1 << 12)))
    again.engine.events(events.slice(snapshotAt))
    const isFact = (alert: FoundAlert) => !isOfTokens(alert)
    const facts = whole.found.slice(before).filter(isFact)
    expect(again.found.filter(isFact), `seed ${seed}`).toEqual(facts)
    const isOfWhole = ({ rule }: FoundAlert) => rules.some((one) => one.id === rule && isWhole(one))
    const ended = lastOf(whole.found.filter(isOfWhole))
    const all = [...whole.found.slice(0, before), ...again.found].filter(isOfWhole)
    expect(lastOf(all), `seed ${seed}`).toEqual(ended)
  }
})

/** The tokens that rules have by what was told last: some may have come and gone in between. */
function lastOf(found: readonly FoundAlert[]): readonly string[] {
  const last = new Map<string, boolean>()
  for (const { rule, event, data } of found.filter(isOfTokens)) {
    const { mint, direction } = JSON.parse(data)
    last.set(`${rule} ${mint}`, event === 'filter_entered' || direction === 'up')
  }
  return [...last].flatMap(([key, isIn]) => (isIn ? [key] : [])).sort()
}
