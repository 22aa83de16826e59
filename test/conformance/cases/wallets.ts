import { isRecord } from '../../../src/base/json-access.ts'
import { checkNamed } from '../errors.ts'
import { ensure, type Json, records, same, skipUnless, text } from '../expect.ts'
import { about, type Case, type World } from '../harness.ts'
import { marketPath, nonsense, strangerMint, walletPath } from '../paths.ts'
import { checkShape } from '../shape.ts'
import { createdToken, rankedWallet, walletDay, walletFigures } from '../spec-tables.ts'
import { getPage } from '../walk.ts'

const test = about('wallets')
const HOLDER_COLUMNS = ['holders', 'creator_pct', 'snipers_pct', 'insiders_pct', 'bundlers_pct']
const WINDOWS = ['1d', '7d', '30d', 'all']
const path = (wallet: string): string => `/api/v2/wallets/${encodeURIComponent(wallet)}`
const topPath = (query: string): string => `/api/v2/wallets/top?${query}`

async function skipWithout({ http, known }: World): Promise<void> {
  const { status } = await http.ask(path((await known()).wallet))
  skipUnless(status !== 404, 'the service has no wallets')
}

function part(value: unknown, key: string): Json {
  const found = isRecord(value) ? value[key] : undefined
  if (isRecord(found)) return found
  throw new Error(`${key} is no object`)
}

const sumOf = (rows: Json[], key: string): number =>
  rows.reduce((sum, row) => sum + Number(row[key]), 0)

export const walletCases: Case[] = [
  test('a window is the sum of its days', async (world) => {
    await skipWithout(world)
    const { http, known } = world
    const summary = await http.get(path((await known()).wallet))
    const days = records(isRecord(summary) ? summary.days : null, 'days')
    same(days.length, 30, 'days')
    for (const day of days) checkShape(day, walletDay, 'a day')
    for (const name of WINDOWS)
      checkShape(part(part(summary, 'windows'), name), walletFigures, name)
    for (const [name, count] of [
      ['1d', 1],
      ['7d', 7],
      ['30d', 30],
    ] as const) {
      const window = part(part(summary, 'windows'), name)
      same(window.trades, sumOf(days.slice(-count), 'trades'), `${name}: trades`)
      for (const key of ['realized_pnl_usd', 'volume_usd']) {
        const difference = Number(window[key]) - sumOf(days.slice(-count), key)
        ensure(Math.abs(difference) < 1e-4, `${name}: ${key} differs by ${difference}`)
      }
    }
  }),
  test('the figures of all time are those of the trader records', async (world) => {
    await skipWithout(world)
    const { http, known } = world
    const { wallet } = await known()
    for (let tries = 0; tries < 10; tries += 1) {
      const before = await http.get(path(wallet))
      const { items, total } = await getPage(http, walletPath(wallet, 'limit=200'))
      if (JSON.stringify(await http.get(path(wallet))) !== JSON.stringify(before)) continue
      skipUnless(total <= 200, 'the wallet has more tokens than a page')
      const all = part(part(before, 'windows'), 'all')
      same(all.trades, sumOf(items, 'trades'), 'trades')
      const difference = Number(all.realized_pnl_usd) - sumOf(items, 'realized_pnl_usd')
      ensure(Math.abs(difference) < 1e-4, `realised PnL differs by ${difference}`)
      return
    }
    skipUnless(false, 'the wallet changed with every answer')
  }),
  test('a ranking falls, and its wallets have the figures of their own answers', async (world) => {
    await skipWithout(world)
    const { http } = world
    for (const by of ['realized_pnl', 'volume', 'trades', 'win_rate']) {
      const ranking = await http.get(topPath(`window=all&by=${by}&limit=10`))
      const items = records(isRecord(ranking) ? ranking.items : null, 'items')
      for (const [place, item] of items.entries()) {
        const { label, ...figures } = item
        checkShape(figures, rankedWallet, by)
        ensure(label === null || isRecord(label), 'a label that is none')
        same(item.rank, place + 1, 'rank')
        const last = items[place - 1]
        ensure(last === undefined || Number(last.value) >= Number(item.value), `${by} rises`)
      }
      const [first] = items
      if (first === undefined || by !== 'trades') continue
      const { trades } = part(part(await http.get(path(text(first, 'wallet'))), 'windows'), 'all')
      ensure(Number(trades) >= Number(first.trades), 'fewer trades than in the ranking')
    }
  }),
  test('a creator has its tokens, and their figures', async (world) => {
    await skipWithout(world)
    const { http, known } = world
    const [token] = records(await http.get(marketPath((await known()).walkable.mint)), 'tokens')
    const creator = token?.creator
    skipUnless(typeof creator === 'string' && creator !== '', 'no creator is known')
    const path = `/api/v2/creators/${String(creator)}`
    const body = await http.get(`${path}?limit=200`)
    const items = records(isRecord(body) ? body.items : null, 'tokens of a creator')
    skipUnless(items.length < 200, 'the creator has more tokens than a page')
    for (const item of items) checkShape(item, createdToken, 'a token of a creator')
    ensure(
      items.some(({ mint }) => mint === token?.mint),
      'its token is not among them',
    )
    const graduated = items.filter(({ outcome }) => outcome === 'graduated').length
    ensure(isRecord(body) && body.graduated === graduated, 'another number has graduated')
  }),
  test('holders over time are columns of one length, in order of time', async (world) => {
    await skipWithout(world)
    const { http, known } = world
    const path = `/api/v2/tokens/${(await known()).walkable.mint}/holders/history`
    const body = await http.get(`${path}?resolution=1`)
    const columns = isRecord(body) ? body : {}
    const times = Array.isArray(columns.t) ? columns.t.map(Number) : []
    ensure(times.length > 0, 'no points')
    ensure(
      times.every((time, place) => place === 0 || time > (times[place - 1] ?? 0)),
      'the times do not rise',
    )
    for (const name of HOLDER_COLUMNS) {
      const column = columns[name]
      ensure(Array.isArray(column) && column.length === times.length, `${name} is shorter`)
    }
    checkNamed(await http.ask(path), 400, 'resolution', 'no resolution')
  }),
  test('an unknown wallet has zeros', async (world) => {
    await skipWithout(world)
    const summary = await world.http.get(path(strangerMint))
    same(part(part(summary, 'windows'), 'all').trades, 0, 'trades')
    ensure(isRecord(summary) && summary.best === null, 'a best token')
  }),
  test('bad input is a 400 that names the parameter', async (world) => {
    await skipWithout(world)
    const { http } = world
    for (const word of nonsense) checkNamed(await http.ask(path(word)), 400, 'wallet', word)
    for (const [name, value] of [
      ['window', '24h'],
      ['by', 'pnl'],
      ['limit', '0'],
      ['limit', '201'],
    ])
      checkNamed(await http.ask(topPath(`${name}=${value}`)), 400, String(name), String(value))
  }),
]
