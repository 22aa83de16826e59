import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { usageText } from '../../src/cli/command-line.ts'
import { readConfig, SETTING_NAMES } from '../../src/config/config.ts'
import { ROOT } from '../tidy/source-files.ts'

/** The documents that --help names. */
function documents(): string {
  const named = [...usageText([]).matchAll(/\S+\.md/g)].map(([file]) => file.replace(/[,.]$/, ''))
  expect(named).toContain('docs/limits.md')
  return named.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n')
}

/** Rows of tables that begin with settings and then tell their defaults; `none` is an empty text. */
function defaultsTold(): readonly (readonly [name: string, told: string])[] {
  const rows = documents().matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+) \| ([^|]*) \|/gm)
  return [...rows].flatMap(([, names, cell]) => {
    const values = cell === 'none' ? [''] : [...cell.matchAll(/`([^`]*)`/g)].map(([, text]) => text)
    return [...names.matchAll(/[A-Z_]+/g)].flatMap(([name], i) =>
      values[i] === undefined ? [] : [[name, values[i]] as const],
    )
  })
}

/** Told in sentences, since most have no default or are for few. */
const TOLD_OTHERWISE = [
  ...['DASHBOARD', 'METADATA', 'IPFS_GATEWAYS', 'SOL_PRICE', 'SOLANA_WS_URL', 'CHECK_CACHE'],
  ...['TLS_CERT', 'TLS_KEY', 'ADMIN_HOST', 'ADMIN_PORT', 'ADMIN_TOKEN'],
]

test('every setting is in the documents that --help names', () => {
  const texts = documents()
  expect(SETTING_NAMES).toContain('PORT')
  expect(SETTING_NAMES.filter((name) => !new RegExp(`\\b${name}\\b`).test(texts))).toEqual([])
})

test('every setting is a name that --help lists', () => {
  const words = new Set(usageText([]).split(/\s+/))
  expect(SETTING_NAMES.filter((name) => !words.has(name))).toEqual([])
})

test('every setting has its default in a table of the documents, or is told otherwise', () => {
  const told = new Set([...defaultsTold().map(([name]) => name), ...TOLD_OTHERWISE])
  expect(SETTING_NAMES.filter((name) => !told.has(name))).toEqual([])
})

/** Some settings are read only where FEED names their feed, which then wants an address. */
const LIVE = {
  FEED: 'yellowstone,solana,pumpportal',
  YELLOWSTONE_URL: 'http://node:10000',
  SOLANA_RPC_URL: 'http://node:8899',
}

test.each([{}, LIVE])('the defaults of the documents are those of the program with %j', (given) => {
  const told = defaultsTold().filter(([name]) => !Object.hasOwn(given, name))
  expect(told.length).toBeGreaterThan(40)
  const own = readConfig([], given)
  for (const [name, value] of told)
    expect(readConfig([], { ...given, [name]: value }), name).toEqual(own)
})

test('the clock of a replay is that of its events, as the documents say', () => {
  const [, ofReplays] = /\| `CLOCK` \| `wall`; `(\w+)` for replays \|/.exec(documents()) ?? []
  expect(readConfig([], { FEED: 'replay:x' }).clock).toBe(ofReplays)
})
