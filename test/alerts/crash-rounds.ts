/**
 * Kills the real program while its webhooks fail, stall, are cut and restarted; then every fact of the journal that a rule
 * is about has to have arrived, in order and by its id, and nothing may have been sent where it must not.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Outbox } from '../../src/alerts/outbox.ts'
import { Random } from '../../src/base/random.ts'
import { Engine } from '../../src/engine/engine.ts'
import { TokenReader } from '../../src/engine/read/token-reader.ts'
import { walletOf } from '../../src/events/swap-record.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { listDataFiles } from '../../src/store/folder/data-folder.ts'
import { foldJournal } from '../../src/store/journal/journal-fold.ts'
import { startProgram } from '../process/program.ts'
import { faultsOfOrder, type Mood, Receiver } from './receiver.ts'

const SECRET = 'a secret of the crash test, long enough'
/** Before rules are made the market runs for so long: its wallets are known then. */
const WARM_UP_MS = 3_000
/** Longer than a back-off after one failure. */
const QUIET_MS = 4_000
/** A stall costs ten seconds of a rule: few of them, so that deliveries go on. */
const TAKES = Array.from({ length: 12 }, (): Mood => 'takes')
const MOODS: readonly Mood[] = [
  ...TAKES,
  ...(['answers 500', 'stalls', 'cuts', 'redirects', 'takes and stalls'] as const),
]
const WALLET_RULES = 8
const WALLETS_OF_RULE = 60

export interface CrashOptions {
  /** Kills at least. */
  readonly rounds: number
  /** Deliveries that have to be taken, repeated ones not counted. */
  readonly deliveries: number
  readonly seed: number
  readonly folder: string
  /** Swaps a second of the simulated market. */
  readonly rate: number
  readonly tell: (line: string) => void
}

export interface CrashReport {
  kills: number
  readonly taken: number
  readonly repeated: number
  readonly failed: number
  readonly facts: number
  readonly faults: readonly string[]
}

/** The whole journal of a folder, folded anew; `onFact` takes the seq, the kind and the address of each fact. */
function foldAnew(
  folder: string,
  onFact: (seq: number, kind: 'wallet' | 'launch' | 'migration', address: string) => void,
): Engine {
  const engine = new Engine({ clock: 'wall' })
  const { state, facts } = engine
  const reader = new TokenReader(state, engine.top, engine.links)
  facts.on('trade', (index) => {
    const wallet = walletOf(state.tape.u32Of(index), state.tape.at(index))
    onFact(engine.seq, 'wallet', state.book.walletText(wallet))
  })
  facts.on('created', (token) => onFact(engine.seq, 'launch', reader.at(token).creator))
  facts.on('migration', (token) => onFact(engine.seq, 'migration', reader.at(token).mint))
  const disk = new NodeDisk()
  const files = listDataFiles(disk, folder)
  const folding = foldJournal(engine, { disk, files, from: { seq: 0, segment: 0 } })
  while (!folding.next().done);
  return engine
}

/** Rules on wallets that trade much, on creators, migrations and filters; one of a private address. */
function rulesOf(folder: string, receiver: Receiver, forbidden: Receiver) {
  const trades = new Map<string, number>()
  const launches = new Map<string, number>()
  const add = (counts: Map<string, number>, key: string) =>
    counts.set(key, (counts.get(key) ?? 0) + 1)
  const { seq } = foldAnew(folder, (_seq, kind, address) => {
    if (kind === 'wallet') add(trades, address)
    if (kind === 'launch') add(launches, address)
  })
  const most = (counts: Map<string, number>, count: number) =>
    [...counts]
      .sort(([, a], [, b]) => b - a)
      .slice(0, count)
      .map(([key]) => key)
  const wallets = most(trades, WALLET_RULES * WALLETS_OF_RULE)
  const to = { webhook: { url: receiver.url, secret: SECRET } }
  const ofWallets = Array.from({ length: WALLET_RULES }, (_, i) => ({
    ...{ id: `wallets-${i}`, to },
    when: { kind: 'wallet', wallets: wallets.filter((_wallet, at) => at % WALLET_RULES === i) },
  }))
  const filter = { type: 'new', newPools: { volumeUsd: { min: 1_000 } } }
  const creators = most(launches, 200)
  const rules = [
    ...ofWallets,
    { id: 'launches', to, when: { kind: 'launch', creators } },
    { id: 'migrations', to, when: { kind: 'migration' } },
    { id: 'filter', to, when: { kind: 'filter', filter } },
    { id: 'cap', to, when: { kind: 'market_cap', value: 10_000 } },
    {
      id: 'forbidden-name',
      to: { webhook: { url: `https://localhost:${forbidden.port}/`, secret: SECRET } },
      when: { kind: 'launch', creators },
    },
  ]
  return { seq, rules, ofWallets, creators }
}

/** A rule of a version that took any address: it stays, and nothing may be sent for it. */
function storeForbidden(data: string, { url }: Receiver): void {
  const to = { live: false, webhook: { url, secret: SECRET } }
  const rule = { id: 'forbidden', when: { kind: 'migration' }, to }
  const outbox = Outbox.open(join(data, 'alerts.db'))
  outbox.commit({
    rules: [{ id: rule.id, body: JSON.stringify(rule), condition: '' }],
    ...{ position: null, alerts: [], pages: [], delivered: [], nowMs: Date.now() },
  })
  outbox.close()
}

export async function runAlertCrashes(options: CrashOptions): Promise<CrashReport> {
  const { rounds, deliveries, seed, folder, rate, tell } = options
  const random = new Random(seed, 0)
  const data = join(folder, 'data')
  mkdirSync(folder, { recursive: true })
  const receiver = new Receiver(SECRET)
  // Another address of this machine, which no setting names.
  const forbidden = new Receiver(SECRET, '127.0.0.2')
  await receiver.start()
  await forbidden.start()
  const settings = {
    ...{ DATA_DIR: data, JOURNAL_KEEP: 'all', SNAPSHOT_EVERY: '2s', CHECK_CACHE: '0' },
    ...{ SIM_RATE: String(rate), SIM_TOKENS: '300', SIM_SEED: String(seed) },
  }
  const first = await startProgram(settings)
  await pause(WARM_UP_MS)
  await first.end('SIGTERM')
  const { seq: since, rules, ofWallets, creators } = rulesOf(data, receiver, forbidden)
  storeForbidden(data, forbidden)
  const file = join(folder, 'alerts.json')
  writeFileSync(file, JSON.stringify({ rules }))
  const withRules = {
    ...{ ...settings, ALERTS_FILE: file, ALERTS_NETWORKS: '127.0.0.1' },
  }
  let kills = 0
  const idsTaken = () => new Set(receiver.taken.map(({ id }) => id)).size
  while (kills < rounds || idsTaken() < deliveries) {
    const program = await startProgram(withRules)
    await trouble(receiver, random, 1_500 + random.below(Math.max(1, perRoundMs(options))))
    await program.end('SIGKILL')
    kills += 1
    tell(`kill ${kills}: ${idsTaken()} deliveries taken, ${receiver.came.length} came`)
  }
  receiver.mood = 'takes'
  const last = await startProgram({ ...withRules, FEED: 'none' })
  await emptied(receiver)
  await last.end('SIGTERM')
  await receiver.stop()
  await forbidden.stop()
  return { ...judge({ data, receiver, forbidden, since, ofWallets, creators }), kills }
}

/** How long a round lasts at most, so that the deliveries come in so many kills. */
function perRoundMs({ rounds, deliveries, rate }: CrashOptions): number {
  return Math.max(2_000, (deliveries / rounds / rate) * 4_000)
}

/** The receiver changes its mood, and is restarted now and then. */
async function trouble(receiver: Receiver, random: Random, forMs: number): Promise<void> {
  const endMs = Date.now() + forMs
  while (Date.now() < endMs) {
    receiver.mood = random.pick(MOODS)
    if (random.below(8) === 0) {
      await receiver.stop()
      await pause(random.below(300))
      await receiver.start()
    }
    await pause(50 + random.below(500))
  }
}

/** Resolves when nothing arrives any more: what is left goes where it must not. */
async function emptied(receiver: Receiver): Promise<void> {
  for (let before = -1; receiver.taken.length !== before; ) {
    before = receiver.taken.length
    await pause(QUIET_MS)
  }
}

function judge(parts: {
  readonly data: string
  readonly receiver: Receiver
  readonly forbidden: Receiver
  readonly since: number
  readonly ofWallets: readonly {
    readonly id: string
    readonly when: { readonly wallets: readonly string[] }
  }[]
  readonly creators: readonly string[]
}): Omit<CrashReport, 'kills'> {
  const { data, receiver, forbidden, since, ofWallets, creators } = parts
  const { taken, came, badSignatures } = receiver
  const epoch = taken[0]?.epoch ?? ''
  const rules = new Map(ofWallets.flatMap(({ id, when }) => when.wallets.map((one) => [one, id])))
  const wanted = new Map<string, string[]>()
  const want = (rule: string, seq: number) => {
    const of = wanted.get(rule) ?? []
    of.push(`${epoch}:${seq}:${rule}`)
    wanted.set(rule, of)
  }
  foldAnew(data, (seq, kind, address) => {
    if (seq <= since) return
    const rule = rules.get(address)
    if (kind === 'wallet' && rule !== undefined) want(rule, seq)
    if (kind === 'launch' && creators.includes(address)) want('launches', seq)
    if (kind === 'migration') want('migrations', seq)
  })
  const faults = faultsOfOrder(taken)
  const ids = new Map<string, Set<string>>()
  for (const { rule, id } of taken) ids.set(rule, (ids.get(rule) ?? new Set()).add(id))
  let facts = 0
  for (const [rule, list] of wanted) {
    facts += list.length
    const got = ids.get(rule) ?? new Set()
    const lost = list.filter((id) => !got.has(id))
    const foreign = [...got].filter((id) => !new Set(list).has(id))
    if (lost.length > 0) faults.push(`${rule}: ${lost.length} were not delivered, first ${lost[0]}`)
    if (foreign.length > 0)
      faults.push(`${rule}: ${foreign.length} of nothing, first ${foreign[0]}`)
  }
  faults.push(...faultsOfTurns(receiver))
  if (badSignatures > 0) faults.push(`${badSignatures} signatures do not fit`)
  if (forbidden.connections > 0) faults.push(`${forbidden.connections} connections to 127.0.0.2`)
  const distinct = new Set(taken.map(({ id }) => id)).size
  return {
    ...{ facts, faults, taken: distinct, repeated: taken.length - distinct },
    failed: came.length - taken.length,
  }
}

/** A token enters and leaves a filter in turns, as it crosses a value up and down. */
function faultsOfTurns({ taken }: Receiver): string[] {
  const known = new Set<string>()
  const isIn = new Map<string, boolean>()
  const faults: string[] = []
  for (const { id, rule, event, data } of taken) {
    if (!['filter', 'cap'].includes(rule) || known.has(id)) continue
    known.add(id)
    const key = `${rule} ${data.mint}`
    const enters = event === 'filter_entered' || data.direction === 'up'
    if (isIn.get(key) === enters) faults.push(`${id}: ${key} ${event} ${enters} twice`)
    isIn.set(key, enters)
  }
  return faults
}
