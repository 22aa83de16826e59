import { expect, test } from 'vitest'
import { logText } from '../../src/app/log.ts'
import { storedSentence } from '../../src/app/recovery-log.ts'
import { StoreError } from '../../src/store/disk/failure.ts'

const PLAIN = { hasColours: false, columns: 60 }
const time = '2026-11-28T08:00:05.123Z'

function textOf(facts: object, options: Parameters<typeof logText>[1] = PLAIN): string {
  return logText(`${JSON.stringify({ level: 30, time, ...facts })}\n`, options)
}

/** Without the clock, which is that of the reader's place. */
const shown = (text: string) => text.replace(/^\d\d:\d\d:\d\d /, '')

test('a message of a few facts is two lines, and one without any is one line', () => {
  expect(textOf({ msg: 'draining' })).toMatch(/^\d\d:\d\d:\d\d draining\n$/)
  expect(shown(textOf({ feed: 'sim', swaps: 3, none: null, msg: 'feed ended' }))).toBe(
    'feed ended\n         feed=sim swaps=3\n',
  )
})

test('facts end where the terminal does, but for warnings, which are whole', () => {
  const facts = { path: 'x'.repeat(100), msg: 'made' }
  const [, below = ''] = textOf(facts).split('\n')
  expect(below).toHaveLength(60)
  expect(below.endsWith('…')).toBe(true)
  for (const [level, name] of [
    [40, 'warning'],
    [50, 'error'],
  ] as const) {
    const text = shown(textOf({ ...facts, level }))
    expect(text).toBe(`${name}: made\n         path=${facts.path}\n`)
  }
})

test('the url has a line of its own, and stands out where there are colours', () => {
  const facts = { url: 'http://127.0.0.1:80', ws: 'ws://127.0.0.1:80/ws', port: 80, msg: 'ready' }
  expect(shown(textOf(facts))).toBe(
    'ready\n         http://127.0.0.1:80  live feed: ws://127.0.0.1:80/ws\n',
  )
  expect(textOf(facts, { hasColours: true })).toContain(
    '\u001b[1;4;36mhttp://127.0.0.1:80\u001b[0m',
  )
  expect(textOf(facts)).not.toContain('\u001b')
})

test('a stop is one line that says what was kept', () => {
  expect(shown(textOf({ kept: 'all of it.', seq: 7, snapshotSeq: 7, msg: 'stopped' }))).toBe(
    'stopped: all of it.\n',
  )
})

test('what strangers wrote can move no cursor and end no line', () => {
  const hostile = 'a\u001b[2Jb\nc\u202ed\u0007'
  const text = textOf({ level: 40, reason: hostile, msg: hostile })
  expect(text.split('\n')).toHaveLength(3)
  expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}/u)
})

test('a stack of a fault of the program stands below, whole', () => {
  const stack = 'Error: no\n    at here\n    at there'
  expect(textOf({ level: 50, stack, msg: 'A route threw' }).split('\n').slice(1)).toEqual([
    ...stack.split('\n').map((line) => `         ${line}`),
    '',
  ])
})

test('what is no line of JSON stays what it is', () => {
  expect(logText('plain\n', PLAIN)).toBe('plain\n')
  expect(logText('7\n', PLAIN)).toBe('7\n')
})

test('the sentence of a stop tells journal and snapshot, and what neither has', () => {
  const sentence = (...rest: [number, number, number, StoreError | null]) =>
    storedSentence('data', ...rest)
  expect(sentence(12_345, 12_345, 12_345, null)).toBe(
    'all events are kept: the journal of data ends at seq 12,345, and so does its newest snapshot.',
  )
  expect(sentence(12_345, 12_345, 500, null)).toBe(
    'all events are kept: the journal of data ends at seq 12,345; its newest snapshot holds seq 500, and the next start reads what follows.',
  )
  expect(sentence(0, 0, 0, null)).toContain('no event has come')
  expect(sentence(900, 800, 500, new StoreError('disk', 'full'))).toBe(
    'events up to seq 800 are in the journal of data, and none that came after the disk refused; its newest snapshot holds seq 500.',
  )
})
