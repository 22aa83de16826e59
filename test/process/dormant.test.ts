import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TAPE_CHUNK_RECORDS } from '../../src/engine/state/tape.ts'
import { eventLineText } from '../../src/events/event.ts'
import { figuresOf } from '../crash/http.ts'
import { type Asked, differences, sevenAnswers } from '../crash/seven-answers.ts'
import { newFolder } from '../new-folder.ts'
import { created, price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'
import { startProgram, until } from './program.ts'

/** Each is busy for a while and then nearly dead. */
const MINTS = 300
const SWAPS_PER_MINT = 350
const WALLETS = 6_000
/** Swaps of an old mint among them. */
const WAKING_SHARE = 0.002
const SWAPS_PER_SLOT = 3
const DORMANT_MS = 300_000
/** Less than a tenth of the positions there are. */
const POSITIONS_MEMORY = '1mb'
const POSITIONS_IN_MEMORY_MAX = 9_000

test(
  'a program whose quiet tokens rest answers as one that keeps all, after a kill and a start too',
  async () => {
    const DATA_DIR = newFolder()
    const file = join(newFolder(), 'events.jsonl')
    const asked = writeMarket(file)
    const replay = { FEED: `replay:${file}`, SPEED: 'max', RATE_LIMIT: 'off' }
    const small = { DATA_DIR, POSITIONS_MEMORY, TAPE_MEMORY: '1mb', SNAPSHOT_EVERY: '500ms' }
    const keeps = await startProgram(replay)
    const rests = await startProgram({ ...replay, ...small })
    await rests.seen(/positions take POSITIONS_MEMORY/)
    const figures = await until('a chunk of resting positions has left memory', async () => {
      const found = await figuresOf(rests.url)
      const isThrough = found.httpStatus === 200 && found.swaps === MINTS * SWAPS_PER_MINT
      return isThrough && found.dormant_bytes < found.dormant_positions * 100 ? found : null
    })
    expect(figures.positions_in_memory).toBeLessThan(POSITIONS_IN_MEMORY_MAX)
    expect(figures.dormant_positions).toBeGreaterThan(TAPE_CHUNK_RECORDS)
    expect(figures.dormant_wakings_total).toBeGreaterThan(0)
    await until('the other run is through', async () =>
      (await figuresOf(keeps.url)).swaps === MINTS * SWAPS_PER_MINT ? true : null,
    )
    const all = await figuresOf(keeps.url)
    expect(all.dormant_positions).toBe(0)
    expect(figures.positions).toBe(all.positions)
    const expected = await answersOf(keeps.url, asked)
    expect(differences(expected, await answersOf(rests.url, asked))).toEqual([])
    expect((await figuresOf(rests.url)).dormant_cache_misses_total).toBeGreaterThan(0)
    await rests.end('SIGKILL')
    const start = { ...small, FEED: 'none', CLOCK: 'event', RATE_LIMIT: 'off' }
    const again = await startProgram({ ...start, POSITIONS_MEMORY: '4gb' })
    expect(differences(expected, await answersOf(again.url, asked))).toEqual([])
    expect((await figuresOf(again.url)).dormant_positions).toBe(figures.dormant_positions)
    await again.end('SIGTERM')
    await keeps.end('SIGTERM')
  },
  DORMANT_MS,
)

/** Writes the market's event lines; returns mints and wallets to ask for. */
function writeMarket(file: string): Asked {
  const random = new Random(5)
  const name = () => random.base58(44)
  const oneOf = (names: readonly string[]) => names[random.integer(0, names.length - 1)] ?? ''
  const mints = Array.from({ length: MINTS }, name)
  const wallets = Array.from({ length: WALLETS }, name)
  const open = fs.openSync(file, 'w')
  fs.writeSync(open, `${eventLineText(price(150))}\n`)
  let swaps = 0
  for (const [at, mint] of mints.entries()) {
    const texts: string[] = []
    const creator = oneOf(wallets)
    const bondingCurve = mint.toLowerCase().slice(0, 20)
    const birth = { ...placeOf(swaps), mint, creator, signature: random.base58(88) }
    texts.push(eventLineText(created({ ...birth, tokenProgram: name(), bondingCurve })))
    for (let i = 0; i < SWAPS_PER_MINT; i++) {
      swaps += 1
      const isOld = at > 0 && random.chance(WAKING_SHARE)
      const event = swap({
        ...placeOf(swaps),
        txIndex: swaps,
        signature: random.base58(88),
        mint: isOld ? oneOf(mints.slice(0, at)) : mint,
        pool: bondingCurve,
        signer: oneOf(wallets),
        direction: random.chance(0.7) ? 'buy' : 'sell',
        baseRaw: BigInt(random.integer(1, 10 ** 12)),
        quoteRaw: BigInt(random.integer(1, 10 ** 9)),
      })
      texts.push(eventLineText(event))
    }
    fs.writeSync(open, `${texts.join('\n')}\n`)
  }
  fs.closeSync(open)
  const few = <T>(all: readonly T[]) => all.filter((_, i) => i % Math.ceil(all.length / 12) === 0)
  return { mints: few(mints), wallets: few(wallets) }
}

function placeOf(swaps: number): { slot: number; timestamp: number } {
  const slot = 1_000 + Math.floor(swaps / SWAPS_PER_SLOT)
  return { slot, timestamp: START_SECOND + Math.floor(slot / 2.5) }
}

/** The answers without where the stream stood: each run has an epoch of its own. */
async function answersOf(url: string, asked: Asked): Promise<Map<string, string>> {
  const last = placeOf(MINTS * SWAPS_PER_MINT).timestamp
  const answers = await sevenAnswers(url, asked, last)
  const texts = new Map<string, string>()
  for (const [question, answer] of answers) {
    const [status, , text]: unknown[] = JSON.parse(answer)
    texts.set(question, JSON.stringify([status, text]))
  }
  return texts
}
