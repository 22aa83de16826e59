import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import { eventLineText, type FeedEvent } from '../../src/events/event.ts'
import { CheckedReader } from '../client/checked-reader.ts'
import { market, Witness } from '../client/witness.ts'
import { figuresOf, get } from '../crash/http.ts'
import { newFolder } from '../new-folder.ts'
import { Random } from '../oracle/random.ts'
import { freePort } from './free-port.ts'
import { type Program, startProgram, until } from './program.ts'

const READERS = 4
/** Updates that a slow reader keeps. */
const SLOW_BUFFER = 20
/** Lots of events that a program is fed before it is killed, and how many there are in one at most. */
const LOTS = 50
const LOT_MAX = 40
const seed = Number(process.env.SEED ?? 20_261_123)

/** A feed that knows what it has told, and tells again what a killed program did not take. */
class Teller {
  readonly witness = new Witness()
  swaps = 0
  readonly #events: Iterator<FeedEvent, never>
  readonly #lines: string[] = []
  /** Swaps up to each line, that one left out. */
  readonly #swapsBefore: number[] = []
  #told = 0

  constructor(random: Random) {
    this.#events = market(random)
  }

  /** A program has taken so many swaps; launches behind the last of them may come a second time. */
  goBackTo(swaps: number): void {
    const place = this.#swapsBefore.indexOf(swaps)
    this.#told = place < 0 ? this.#lines.length : place
  }

  /** Lines that were not taken, and so many new ones. */
  next(count: number): string {
    for (let i = 0; i < count; i++) {
      const event = this.#events.next().value
      this.witness.fed(event)
      this.#lines.push(`${eventLineText(event)}\n`)
      this.#swapsBefore.push(this.swaps)
      if (event.type === 'swap') this.swaps += 1
    }
    const text = this.#lines.slice(this.#told).join('')
    this.#told = this.#lines.length
    return text
  }
}

test(`readers of a program that is killed again and again get every event once, in order (SEED=${seed})`, async () => {
  const random = new Random(seed)
  const teller = new Teller(random)
  const settings = {
    ...{ FEED: 'stdin', CLOCK: 'event', RATE_LIMIT: 'off', SNAPSHOT_EVERY: '1s' },
    ...{ DATA_DIR: newFolder(), PORT: String(await freePort()) },
  }
  let program: Program | null = null
  let readers: CheckedReader[] = []
  onTestFinished(async () => {
    for (const { client } of readers) client.close()
    await program?.end('SIGKILL')
  })
  for (const fsync of ['group', 'always', 'off', 'group']) {
    await program?.end('SIGKILL')
    program = await startProgram({ ...settings, FSYNC: fsync })
    const { url, child } = program
    if (readers.length === 0) readers = await readersOf(url, teller.witness, random)
    teller.goBackTo((await figuresOf(url)).swaps)
    for (let lot = 0; lot < LOTS; lot++) {
      child.stdin?.write(teller.next(random.integer(0, LOT_MAX)))
      await pause(random.integer(0, 20))
    }
  }
  const url = program?.url ?? ''
  await until('every event is taken', async () =>
    (await figuresOf(url)).swaps === teller.swaps ? true : null,
  )
  await until('every reader has every event, or a fault', async () =>
    readers.every(({ faults, isWhole }) => isWhole || faults.length > 0) ? true : null,
  )
  expect(readers.flatMap(({ faults }) => faults)).toEqual([])
  for (const { client, walletLosses, events } of readers) {
    expect(client.live.status).toMatchObject({ gaps: 0, repeats: 0, unreadable: 0 })
    expect(client.live.status.disconnects).toBeGreaterThan(0)
    // What came in of a wallet while nobody was connected is not kept over a restart.
    expect(walletLosses).toBeLessThanOrEqual(3)
    expect(events).toBeGreaterThan(LOTS)
  }
})

async function readersOf(url: string, witness: Witness, random: Random): Promise<CheckedReader[]> {
  const { position } = await get(
    `${url}/api/v2/search/tokens/Stranger1111111111111111111111111111111pump/market-data`,
  )
  const epoch = position?.epoch ?? ''
  return Array.from({ length: READERS }, (_, i) => {
    const isSlow = i % 2 === 1
    const backoff = { firstMs: 5, longestMs: 40 }
    const client = new Mintfeed(url, { backoff, ...(isSlow && { bufferMax: SLOW_BUFFER }) })
    return new CheckedReader(client, witness, { random, isSlow, epoch })
  })
}
