import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import { EventLines } from '../crash/event-lines.ts'
import { getSwaps } from '../crash/http.ts'
import { differences } from '../crash/seven-answers.ts'
import { natsServer } from '../nats/nats-binary.ts'
import { newFolder } from '../new-folder.ts'
import { everyAnswer } from './every-answer.ts'
import { type Program, type Settings, until } from './program.ts'
import {
  becomes,
  goesOn,
  isReady,
  positionOf,
  reaches,
  readinessOf,
  type Sequencer,
  type Stored,
  StreamPrograms,
  TOKEN,
} from './stream-programs.ts'

const single = natsServer('any')

/** Longer than a lease is held without its holder. */
const STOPPED_MS = 5_000
const EVENTS = 100
const ASKED_SWAPS = 40
const SHORT_LAG = { REPLICA_LAG_MAX: '1s' }

test.skipIf(single === null)(
  'sequencers hand over when one is killed, stopped or held up: each event is in the stream once, and replicas answer alike',
  async () => {
    const programs = await StreamPrograms.start()
    const folders = [newFolder(), newFolder()]
    let sequencers = await Promise.all(folders.map((DATA_DIR) => programs.sequencer({ DATA_DIR })))
    const replicas = await Promise.all([programs.replica(), programs.replica()])
    const [{ url }] = replicas
    await isReady(url)
    const { epoch } = await positionOf(url)
    const seen = new Set<string>()
    const ways = {
      killed: (writer: Sequencer) => writer.end('SIGKILL'),
      stopped: (writer: Sequencer) => writer.end('SIGTERM'),
      'held up': async ({ child }: Sequencer) => {
        child.kill('SIGSTOP')
        await pause(STOPPED_MS)
        child.kill('SIGCONT')
      },
    }
    for (const [way, end] of Object.entries(ways)) {
      await goesOn(url, EVENTS)
      for (const signature of await newestSwaps(replicas[1].url)) seen.add(signature)
      const writer = await writerOf(sequencers)
      const [other] = sequencers.filter((one) => one !== writer)
      await becomes(other?.url ?? '', 503, /stands by/)
      const ended = end(writer)
      await until(`the other one writes, ${way}`, async () => ((await writes(other)) ? true : null))
      await goesOn(url, EVENTS)
      await ended
      if (way === 'held up') continue
      const place = sequencers.indexOf(writer)
      sequencers = sequencers.with(
        place,
        await programs.sequencer({ DATA_DIR: folders[place] ?? '' }),
      )
    }
    const stored = await settled(programs, sequencers, replicas)
    expect([...stored.epochs]).toEqual([epoch])
    expect(new Set(stored.signatures).size).toBe(stored.swaps.length)
    const signatures = new Set(stored.swaps.map(({ signature }) => signature))
    expect([...seen].filter((signature) => !signatures.has(signature))).toEqual([])
    expect(seen.size).toBeGreaterThan(20)
    await answerAlike(replicas, stored)
  },
)

test.skipIf(single === null)(
  'a replica that was killed goes on with its folder, another is seeded beside it, and both serve what they have without NATS',
  async () => {
    const programs = await StreamPrograms.start()
    const sequencer = await programs.sequencer()
    const settings = { ...programs.replicaSettings(), ...SHORT_LAG }
    const first = await programs.replica(settings)
    await isReady(first.url)
    await goesOn(first.url, EVENTS)
    await first.end('SIGKILL')
    const again = await programs.replica(settings)
    expect(Number(/"seq":(\d+)/.exec(await again.seen(/"msg":"recovered"/))?.[1])).toBeGreaterThan(
      0,
    )
    const seed = { SEED_URL: sequencer.url, SEED_TOKEN: TOKEN }
    const seeded = await programs.replica({ ...SHORT_LAG, ...seed })
    await seeded.seen(/"msg":"seeded from the instance of SEED_URL"/)
    const replicas = [again, seeded]
    for (const { url } of replicas) await isReady(url)
    const { epoch } = await positionOf(seeded.url)
    const [server] = programs.nats.servers
    await server?.kill()
    for (const { url } of replicas) {
      await becomes(url, 503, /^NATS cannot be asked: .*Reads go on\.$/)
      expect((await positionOf(url)).epoch).toBe(epoch)
    }
    await becomes(sequencer.url, 503, /NATS/)
    // One that is started meanwhile serves what its folder has.
    await again.end('SIGKILL')
    const lonely = await programs.replica(settings)
    await becomes(lonely.url, 503, /^NATS cannot be reached: .*Reads go on\.$/)
    expect((await positionOf(lonely.url)).epoch).toBe(epoch)
    await server?.restart()
    for (const { url } of [lonely, seeded]) await isReady(url)
    await goesOn(lonely.url, EVENTS)
    const stored = await settled(programs, [sequencer], [lonely, seeded])
    expect(new Set(stored.signatures).size).toBe(stored.swaps.length)
    await answerAlike([lonely, seeded], stored)
  },
)

test.skipIf(single === null)(
  'a stream that is deleted gets a new epoch, and replicas go on with a new copy by SEED_URL',
  async () => {
    const programs = await StreamPrograms.start()
    const sequencer = await programs.sequencer()
    const seed = { SEED_URL: sequencer.url, SEED_TOKEN: TOKEN }
    const replicas = await Promise.all([programs.replica(seed), programs.replica(seed)])
    for (const { url } of replicas) await isReady(url)
    await goesOn(replicas[0].url, EVENTS)
    const before = await positionOf(replicas[0].url)
    await programs.deleteStream()
    for (const { url } of replicas) {
      await until(`${url} has a new epoch`, async () =>
        (await positionOf(url)).epoch === before.epoch ? null : true,
      )
      await isReady(url)
    }
    const after = await positionOf(replicas[0].url)
    expect(after.seq).toBeGreaterThanOrEqual(before.seq)
    await goesOn(replicas[0].url, EVENTS)
    await sequencer.end('SIGKILL')
    const [a, b] = await Promise.all(replicas.map(({ url }) => positionOf(url)))
    expect(a.epoch).toBe(b.epoch)
  },
)

test.skipIf(single === null)(
  'clocks five minutes apart refuse nothing that the sequencer took, and change no trade',
  async () => {
    const programs = await StreamPrograms.start()
    const sequencer = await programs.sequencer({ CLOCK: 'wall' })
    const replicas = await Promise.all(
      [-300, 300].map((seconds) => programs.replica({ CLOCK: 'wall', ...clockAhead(seconds) })),
    )
    for (const { url } of replicas) await goesOn(url, EVENTS)
    const stored = await settled(programs, [sequencer], replicas)
    const mint = stored.swaps.at(-1)?.mint ?? ''
    const [behind, ahead] = await Promise.all(
      replicas.map(async ({ url }) => {
        const { figures } = await readinessOf(url)
        expect(figures.get('swaps')).toBe(stored.swaps.length)
        return getSwaps(url, mint, 1)
      }),
    )
    expect(ahead).toEqual(behind)
    expect(ahead.items.length).toBeGreaterThan(0)
  },
)

test.skipIf(single === null)(
  'sequencers whose clocks are five minutes apart hand over without a gap or a repeat',
  async () => {
    const programs = await StreamPrograms.start()
    const [behind, ahead] = [
      await programs.sequencer({ CLOCK: 'wall', ...clockAhead(-150) }),
      await programs.sequencer({ CLOCK: 'wall', ...clockAhead(150) }),
    ]
    const replica = await programs.replica({ CLOCK: 'wall' })
    const first = await writerOf([behind, ahead])
    const second = first === behind ? ahead : behind
    await goesOn(replica.url, EVENTS)
    const { epoch } = await positionOf(replica.url)
    await first.end('SIGKILL')
    expect(await writerOf([second])).toBe(second)
    await goesOn(replica.url, EVENTS)
    const stored = await settled(programs, [second], [replica])
    expect([...stored.epochs]).toEqual([epoch])
    expect(new Set(stored.signatures).size).toBe(stored.swaps.length)
    expect((await readinessOf(replica.url)).figures.get('swaps')).toBe(stored.swaps.length)
  },
)

test.skipIf(single === null)(
  'a sequencer whose clock is ten minutes behind refuses what its feed brings, and says so in one sentence',
  async () => {
    const programs = await StreamPrograms.start()
    const settings = { FEED: 'stdin', CLOCK: 'wall', ...clockAhead(-600) }
    const sequencer = await programs.sequencer(settings)
    await sequencer.seen(/"msg":"feed started"/)
    sequencer.child.stdin?.write(new EventLines('Clock', new Random(1), 1).opening())
    const told = /"msg":"Events are refused: their times lie more than 60 s ahead of the clock/
    await sequencer.seen(told)
    expect((await readinessOf(sequencer.url)).figures.get('ahead_refused_total')).toBeGreaterThan(0)
    await sequencer.end('SIGTERM')
    expect(sequencer.lines.filter((line) => told.test(line))).toHaveLength(1)
    expect((await programs.stored()).swaps).toEqual([])
  },
)

/** The sequencer that publishes. */
function writerOf(sequencers: readonly Sequencer[]): Promise<Sequencer> {
  return until('a sequencer writes', async () => {
    for (const sequencer of sequencers) if (await writes(sequencer)) return sequencer
    return null
  })
}

async function writes(sequencer: Sequencer | undefined): Promise<boolean> {
  const { figures } = await readinessOf(sequencer?.url ?? '').catch(() => ({ figures: new Map() }))
  return figures.get('sequencer_writes') === 1
}

/** Signatures of the newest swaps of the newest tokens. */
async function newestSwaps(url: string): Promise<string[]> {
  const answer = await fetch(`${url}/api/v2/meme`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"limit":5}',
  })
  const mints = new Set((await answer.text()).match(/(?<="mint":")[^"]+/g))
  const pages = await Promise.all([...mints].map((mint) => getSwaps(url, mint, 1)))
  return pages.flatMap(({ items }) => items.map(({ signature }) => signature))
}

/** Ends all sequencers; resolves with what the stream holds once all replicas have it. */
async function settled(
  programs: StreamPrograms,
  sequencers: readonly Sequencer[],
  replicas: readonly Program[],
): Promise<Stored> {
  await Promise.all(sequencers.map((sequencer) => sequencer.end('SIGKILL')))
  const stored = await programs.stored()
  for (const { url } of replicas) await reaches(url, stored.endSeq)
  return stored
}

/** Every replica answers the same, byte for byte, at the same position. */
async function answerAlike(
  replicas: readonly Program[],
  { swaps, epochs, endSeq }: Stored,
): Promise<void> {
  const [first, ...others] = await Promise.all(
    replicas.map(async ({ url }) => {
      expect(await positionOf(url)).toEqual({ seq: endSeq, epoch: [...epochs][0] })
      expect((await readinessOf(url)).figures.get('swaps')).toBe(swaps.length)
      return everyAnswer(url, swaps.slice(-ASKED_SWAPS))
    }),
  )
  expect(first.size).toBeGreaterThan(100)
  for (const other of others) expect(differences(first, other)).toEqual([])
}

/** The wall clock of one program, ahead of the machine's. */
function clockAhead(seconds: number): Settings {
  const code = `const wallMs = Date.now; Date.now = () => wallMs() + ${seconds * 1_000}`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}
