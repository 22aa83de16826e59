import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/setting-values.ts'

test('a flag goes before the variable of the same meaning, and what is empty is at its default', () => {
  expect(readConfig(['--port', '1'], { PORT: '2' }).port).toBe(1)
  expect(readConfig([], { PORT: '2' }).port).toBe(2)
  expect(readConfig([], { PORT: '', FEED: '', SPEED: '' })).toMatchObject({
    ...{ port: 8_080, feeds: [{ kind: 'sim' }], speed: 1 },
  })
})

test('each setting is that of its own variable', () => {
  const sizes = { TAPE_MEMORY: '1mb', POSITIONS_MEMORY: '2mb', MAX_TOKENS: '3' }
  const seeds = { SIM_SEED: '4', SIM_TOKENS: '5', SIM_RATE: '6', LATE_SLOTS: '7' }
  const others = { BACKFILL_SLOTS: '8', SNAPSHOT_EVERY: '9s', HOST: '::1', FSYNC: 'always' }
  expect(readConfig([], { ...sizes, ...seeds, ...others })).toMatchObject({
    ...{ tapeMemoryBytes: 2 ** 20, positionsMemoryBytes: 2 ** 21, maxTokens: 3 },
    ...{ simSeed: 4, simTokens: 5, simRate: 6, lateSlots: 7 },
    ...{ backfillSlotsMax: 8, snapshotEveryMs: 9_000, host: '::1', fsync: 'always' },
  })
})

test('what is off by default is on when it is set, and only then', () => {
  const set = { JOURNAL_KEEP: 'all', SPIN: 'on', CHECK_CACHE: '1', DATA_DIR: 'none' }
  const [off, on] = [readConfig([], {}), readConfig([], set)]
  expect(off).toMatchObject({ keepsJournal: false, spins: false, checksCache: false })
  expect(on).toMatchObject({ keepsJournal: true, spins: true, checksCache: true })
  expect([off.dataDir, on.dataDir]).toEqual(['snapshots', null])
})

test('lists may have blanks around their parts, and parts with nothing in them', () => {
  const { feeds, trustProxy } = readConfig([], {
    FEED: 'sim, replay:a file.jsonl ,stdin',
    TRUST_PROXY: ' 10.0.0.1 ,, 10.0.0.2,',
  })
  expect(feeds).toEqual([
    { kind: 'sim' },
    { kind: 'replay', file: 'a file.jsonl' },
    { kind: 'stdin' },
  ])
  expect(trustProxy).toEqual(['10.0.0.1', '10.0.0.2'])
})

test('the pace of a replay is a factor above nothing, or as fast as it goes', () => {
  expect(readConfig([], { SPEED: '2.5' }).speed).toBe(2.5)
  expect(readConfig([], { SPEED: 'max' }).speed).toBe('max')
  for (const SPEED of ['0', '-1', 'Infinity', 'NaN', 'fast'])
    expect(() => readConfig([], { SPEED })).toThrow(ConfigError)
})

test('a replay has to name its file', () => {
  expect(() => readConfig([], { FEED: 'replay:' })).toThrow('FEED is "replay:"')
})
