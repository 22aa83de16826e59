import { expect, test } from 'vitest'
import { SILENT } from '../../src/commands/command.ts'
import { exportLines } from '../../src/commands/export.ts'
import { verifyFolder } from '../../src/commands/verify.ts'
import { everyRead, firstUnlike } from '../model/every-read.ts'
import { Random } from '../oracle/random.ts'
import { FOLDER } from './damage/folder.ts'
import { Life } from './weeks/life.ts'
import { WeeksMarket } from './weeks/market.ts'

/** Fixed unless WEEKS_SEED says otherwise; WEEKS_LIVES and WEEKS_EVENTS for the long form. */
const SEED = Number(process.env.WEEKS_SEED ?? 20_261_123)
const LIVES = Number(process.env.WEEKS_LIVES ?? 3)
const EVENTS = Number(process.env.WEEKS_EVENTS ?? 2_500)
const RESTART_CHANCE = 0.02
const PATIENCE_MS = 120_000

test('a service with next to no memory tells and answers for weeks what one with all in memory does', {
  timeout: PATIENCE_MS * LIVES,
}, () => {
  for (let seed = SEED; seed < SEED + LIVES; seed += 1) {
    const random = new Random(seed)
    const life = new Life(random)
    try {
      const { wakings, resumes } = lived(life, new WeeksMarket(new Random(seed ^ 1)), random)
      checkFolder(life)
      const told = `${life.restarts} restarts, ${wakings} tokens woken, ${resumes} streams resumed`
      console.log(`seed ${seed}: ${told}`)
      expect(Math.min(life.restarts, wakings, resumes), told).toBeGreaterThan(0)
    } catch (error) {
      throw new Error(`WEEKS_SEED=${seed}, event ${life.events.length}`, { cause: error })
    }
  }
})

/** Lives through a market; how many tokens were woken, and how many streams could be resumed. */
function lived(life: Life, market: WeeksMarket, random: Random) {
  let now = 0
  let wakings = 0
  let resumes = 0
  while (life.events.length < EVENTS) {
    const batch = Array.from({ length: random.pick([1, 3, 10, 40] as const) }, () => market.next())
    now = Math.max(now, (batch.at(-1)?.timestamp ?? 0) + random.integer(-40, 40))
    life.take(batch, now)
    resumes += compare(life, random)
    if (random.chance(0.03)) life.beginSnapshot()
    life.workOnSnapshot(random.integer(0, 2))
    if (!random.chance(RESTART_CHANCE)) continue
    wakings += life.small.engine.state.dormant.wakings
    life.restart()
  }
  checkAll(life)
  return { wakings: wakings + life.small.engine.state.dormant.wakings, resumes }
}

/** What both told of the last batch, and some of what they answer; how many streams were resumed. */
function compare({ small, whole, events }: Life, random: Random): number {
  expect(small.told.splice(0)).toEqual(whole.told.splice(0))
  expect(small.engine.counts).toEqual(whole.engine.counts)
  const mints = events.slice(-200).flatMap((event) => ('mint' in event ? [event.mint] : []))
  const mint = mints[random.integer(0, mints.length)] ?? 'unknown'
  const wallet = `wallet ${random.integer(1, 30)}`
  small.comeNear(mint, wallet, random.integer(0, 9))
  expect(small.advance()).toBe(whole.advance())
  if (random.chance(0.5)) return 0
  let resumes = 0
  expect(small.answers(mint, wallet)).toBe(whole.answers(mint, wallet))
  const missed = random.integer(0, 300)
  for (const channel of ['update_mint_info', 'wallet_trades', 'new_launched_pool'] as const) {
    const key = { update_mint_info: mint, wallet_trades: wallet, new_launched_pool: '' }[channel]
    const resumed = small.resumed(channel, key, missed)
    if (resumed === null) continue
    expect(resumed).toBe(whole.resumed(channel, key, missed))
    resumes += 1
  }
  const seed = random.integer(0, 2 ** 31)
  expect(small.follow(mint, new Random(seed))).toBe(whole.follow(mint, new Random(seed)))
  return resumes
}

function checkAll({ small, whole, events }: Life): void {
  const [answered, expected] = [small, whole].map(({ engine }) => everyRead(engine, events))
  expect(firstUnlike(answered ?? new Map(), expected ?? new Map())).toBeNull()
}

/** All that the folder holds is what its journal gives, and all that the journal holds is exported. */
function checkFolder(life: Life): void {
  life.stop()
  const about = {
    disk: life.disk,
    folder: FOLDER,
    progress: SILENT,
    newEngine: () => life.newEngine(),
  }
  const checks = verifyFolder({ ...about, written: null, onCheck: () => {} })
  expect(checks.filter(({ isGood }) => !isGood)).toEqual([])
  const lines = exportLines({ ...about, from: 0, to: Number.MAX_SAFE_INTEGER })
  let step = lines.next()
  while (!step.done) step = lines.next()
  expect(step.value.journalFrom + step.value.events).toBe(life.events.length)
}
