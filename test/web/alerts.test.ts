import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ALERTS_A_MINUTE, AlertPace } from '../../web/src/alerts/alert-pace.ts'
import { Entries } from '../../web/src/alerts/entries.ts'

const MINUTE_MS = 60_000

test('in no minute come more alerts than the limit, and every token is told or counted', () => {
  const entering = fc.record({
    afterMs: fc.integer({ min: 0, max: 20_000 }),
    tokens: fc.integer({ min: 1, max: 5 }),
  })
  fc.assert(
    fc.property(fc.array(entering, { maxLength: 100 }), (all) => {
      const pace = new AlertPace()
      const givenMs: number[] = []
      let nowMs = 0
      let entered = 0
      let told = 0
      for (const { afterMs, tokens } of all) {
        nowMs += afterMs
        entered += tokens
        const given = pace.take(tokens, nowMs)
        const inMinute = givenMs.filter((then) => nowMs - then < MINUTE_MS).length
        expect(given === null).toBe(inMinute >= ALERTS_A_MINUTE)
        if (given === null) continue
        givenMs.push(nowMs)
        told += tokens + given.untold
        expect(told).toBe(entered)
      }
    }),
  )
})

const rows = (...mints: readonly string[]) => mints.map((mint) => ({ mint }))

test('tokens of the first state have not entered, later ones have, each once', () => {
  const entries = new Entries()
  expect(entries.of(rows('a', 'b'))).toEqual([])
  expect(entries.of(rows('c', 'a'))).toEqual(rows('c'))
  expect(entries.of(rows('b', 'c', 'a'))).toEqual([])
  expect(entries.of(rows('d', 'e'))).toEqual(rows('d', 'e'))
})

test('a list that was empty at first tells its first token', () => {
  const entries = new Entries()
  expect(entries.of([])).toEqual([])
  expect(entries.of(rows('a'))).toEqual(rows('a'))
})

test('what is remembered is bounded, and those that are there are never forgotten', () => {
  const entries = new Entries()
  entries.of(rows('stays'))
  for (let at = 0; at < 10_000; at++)
    expect(entries.of(rows('stays', `token ${at}`))).toEqual(rows(`token ${at}`))
  expect(entries.of(rows('stays', 'token 9999'))).toEqual([])
  expect(entries.of(rows('token 0'))).toEqual(rows('token 0'))
})
