import { barsOf, chart, checkBars, floorTo, foldTo, sameBars } from '../chart-bars.ts'
import { serverNow } from '../discover.ts'
import {
  ensure,
  type Json,
  keysAre,
  near,
  num,
  record,
  same,
  skipUnless,
  steady,
  unixAt,
} from '../expect.ts'
import { about, type Case, type World } from '../harness.ts'
import { chartPath, strangerMint, swapsPath } from '../paths.ts'
import { ohlcv, resolutions } from '../spec-tables.ts'
import { walk } from '../walk.ts'

const test = about('chart')

const names = Object.keys(resolutions)

const far = 9_999_999_999

/** Charts are cached for 5 seconds: a repeated comparison waits that out. */
const patiently = (work: () => Promise<void>): Promise<void> => steady(work, 4, 2600)

/** Each narrow width with the wide ones it folds into. */
const foldPairs: [string, string[]][] = [
  ['1S', ['5S', '15S', '30S', '1', '5']],
  ['1', ['5', '15', '30', '60', '240', '1D']],
  ['60', ['240', '1D', '1W', '1M']],
  ['1D', ['1W', '1M']],
]

async function quietSwaps(world: World): Promise<Json[]> {
  const { quiet } = await world.known()
  const { items } = await walk(world.http, (query) => swapsPath(quiet.mint, query), 200, 5)
  return items.reverse()
}

async function checkFold(world: World, mint: string, narrow: string, wide: string): Promise<void> {
  const fine = await chart(world.http, mint, 0, far, narrow)
  const coarse = await chart(world.http, mint, 0, far, wide)
  if (fine.length < 5000) return sameBars(coarse, foldTo(fine, wide), `${narrow} into ${wide}`)
  const full = foldTo(fine, wide).slice(1)
  const part = coarse.filter((bar) => bar.t >= full[0].t)
  sameBars(part, full, `the newest ${narrow} into ${wide}`)
}

const foldCases = foldPairs.map(([narrow, wides]) =>
  test(`bars of ${wides.join(', ')} are the fold of those of ${narrow}`, async (world) => {
    const { quiet, walkable } = await world.known()
    for (const mint of [quiet.mint, walkable.mint]) {
      for (const wide of wides) await patiently(() => checkFold(world, mint, narrow, wide))
    }
  }),
)

const widthCases = names.map((resolution) =>
  test(`bars of ${resolution} are aligned, ascending and sound`, async ({ http, known }) => {
    const { quiet, walkable, busiest } = await known()
    for (const mint of [quiet.mint, walkable.mint, busiest[0]]) {
      const bars = await chart(http, mint, 0, far, resolution)
      ensure(bars.length > 0, `${mint} was traded but has no bars`)
      ensure(bars.length <= 5000, `${bars.length} bars`)
      checkBars(bars, resolution)
    }
  }),
)

const extra = async (world: World, query: string, resolution = '1'): Promise<Json> => {
  const { quiet } = await world.known()
  const path = chartPath(quiet.mint, 0, far, resolution, query)
  return record(await world.http.get(path), 'the chart')
}

export const chartCases: Case[] = [
  ...widthCases,
  ...foldCases,
  test('an unknown mint has eleven empty arrays', async ({ http }) => {
    const answer = await http.get(chartPath(strangerMint, 0, far, '1'))
    same(answer, Object.fromEntries(ohlcv.map(({ name }) => [name, []])), 'the chart')
  }),
  test('a range before all trades has eleven empty arrays', async ({ http, known }) => {
    same(await chart(http, (await known()).quiet.mint, 0, 1000, '1'), [], 'the bars')
  }),
  test('a negative from is allowed', async ({ http, known }) => {
    const { quiet } = await known()
    const all = await chart(http, quiet.mint, 0, far, '1D')
    sameBars(await chart(http, quiet.mint, -1000, far, '1D'), all, 'from -1000')
  }),
  test('the range starts with the bar that holds from', async ({ http, known }) => {
    const { quiet } = await known()
    const all = await chart(http, quiet.mint, 0, far, '1')
    const picked = all[Math.floor(all.length / 2)]
    for (const from of [picked.t, picked.t + 1, picked.t + 59]) {
      const [first] = await chart(http, quiet.mint, from, far, '1')
      same(first?.t, picked.t, `the first bar from ${from - picked.t} s into it`)
    }
  }),
  test('the range ends with the bar that opens at to', async ({ http, known }) => {
    const { quiet } = await known()
    const all = await chart(http, quiet.mint, 0, far, '1S')
    const place = Math.floor(all.length / 2)
    const to = all[place].t
    same((await chart(http, quiet.mint, 0, to, '1S')).at(-1)?.t, to, 'the last bar')
    const before = (await chart(http, quiet.mint, 0, to - 1, '1S')).at(-1)?.t
    same(before, all[place - 1]?.t, 'the last bar for a second less')
    same((await chart(http, quiet.mint, to, to, '1S')).length, 1, 'bars for from = to')
  }),
  test('parts of a range put together are the whole', async ({ http, known }) => {
    const { quiet } = await known()
    await patiently(async () => {
      const all = await chart(http, quiet.mint, 0, far, '5')
      const cut = all[Math.floor(all.length / 2)].t
      const left = await chart(http, quiet.mint, 0, cut - 1, '5')
      const right = await chart(http, quiet.mint, cut, far, '5')
      sameBars([...left, ...right], all, 'the two parts')
    })
  }),
  test('the forming bar is included', async (world) => {
    const { busiest } = await world.known()
    const { items } = await walk(world.http, (query) => swapsPath(busiest[0], query), 1, 1)
    const traded = unixAt(items[0], 'timestamp')
    const now = await serverNow(world.http, busiest[0])
    const bars = await chart(world.http, busiest[0], 0, Math.max(Math.ceil(now), traded), '1W')
    const last = bars[bars.length - 1]?.t ?? 0
    ensure(last >= floorTo(traded, '1W'), 'the bar of the newest swap is missing')
  }),
  test('bars hold exactly the trades of the history', async (world) => {
    await patiently(async () => {
      const { quiet } = await world.known()
      const swaps = await quietSwaps(world)
      skipUnless(swaps.length === quiet.total, 'the quiet token moved or is too long')
      const bars = await chart(world.http, quiet.mint, 0, far, '1')
      const opens = new Set(swaps.map((item) => floorTo(unixAt(item, 'timestamp'), '1')))
      same(
        bars.map((bar) => bar.t),
        [...opens].sort((a, b) => a - b),
        'open times',
      )
      for (const bar of bars) {
        const mine = swaps.filter((item) => floorTo(unixAt(item, 'timestamp'), '1') === bar.t)
        const volume = mine.reduce((sum, item) => sum + num(item, 'volume_usd'), 0)
        near(bar.v, volume, `v of bar ${bar.t}`, 1e-4)
        const close = num(mine[mine.length - 1], 'base_mint_price_usd')
        near(bar.c, close, `c of bar ${bar.t}`, Math.max(1e-9, close * 1e-3))
      }
    })
  }),
  test('a bar of one trade is flat', async (world) => {
    const { quiet } = await world.known()
    const times = (await quietSwaps(world)).map((item) => unixAt(item, 'timestamp'))
    const bars = await chart(world.http, quiet.mint, 0, far, '1S')
    const alone = bars.filter((bar) => times.filter((time) => time === bar.t).length === 1)
    skipUnless(alone.length > 0, 'no second with a single trade')
    for (const { t, o, h, l, c } of alone) same([h, l, c], [o, o, o], `high, low, close of ${t}`)
  }),
  test('continuous=1 opens each bar at the close before', async (world) => {
    const bars = barsOf(await extra(world, '&continuous=1'))
    checkBars(bars, '1')
    for (let i = 1; i < bars.length; i += 1) {
      same(bars[i].o, bars[i - 1].c, `the open of bar ${bars[i].t}`)
      same(bars[i].o_sol, bars[i - 1].c_sol, `the open in SOL of bar ${bars[i].t}`)
    }
  }),
  test('fill=previous leaves no gap between bars', async (world) => {
    const bars = barsOf(await extra(world, '&fill=previous', '60'))
    checkBars(bars, '60')
    for (let i = 1; i < bars.length; i += 1) {
      same(bars[i].t - bars[i - 1].t, 3600, `the step to bar ${bars[i].t}`)
    }
  }),
  test('udf=1 adds s, and nextTime at most', async (world) => {
    const answer = await extra(world, '&udf=1')
    const more = Object.keys(answer).filter((name) => !ohlcv.some((field) => field.name === name))
    const { nextTime: _, ...plain } = answer
    keysAre(plain, ['s', ...ohlcv.map((field) => field.name)], 'the chart')
    same(answer.s, 'ok', 's')
    ensure(more.length <= 2, `more keys: ${more.join(', ')}`)
  }),
  test('countback answers the newest bars', async (world) => {
    const all = barsOf(await extra(world, '', '1S'))
    const some = barsOf(await extra(world, '&countback=3', '1S'))
    const ends = some.at(-1)?.t === all.at(-1)?.t
    ensure(some.length >= Math.min(3, all.length) && ends, `${some.length} bars for countback=3`)
  }),
]
