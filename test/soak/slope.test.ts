import { expect, test } from 'vitest'
import { slopeOf, slopePerHour, steadySlopeOf } from './slope.ts'

const every = (seconds: number, value: (at: number) => number) =>
  Array.from({ length: 60 }, (_, index) => {
    const atMs = index * seconds * 1000
    return { atMs, value: value(atMs) }
  })

test('what grows by one in a second grows by 3,600 in an hour', () => {
  expect(slopePerHour(every(1, (atMs) => 5 + atMs / 1000))).toBeCloseTo(3600, 6)
})

test('what goes up and down about one level has nearly no slope, nothing has none', () => {
  const wave = every(1, (atMs) => 100 + ((atMs / 1000) % 2))
  expect(Math.abs(slopePerHour(wave))).toBeLessThan(5)
  expect(slopePerHour([])).toBe(0)
  expect(slopePerHour([{ atMs: 1, value: 1 }])).toBe(0)
})

test('the error says how far a slope may be off: none on a line, more in more noise', () => {
  const line = slopeOf(every(1, (atMs) => atMs / 1000))
  expect(line.error).toBeCloseTo(0, 6)
  const noisy = (height: number) =>
    slopeOf(every(1, (atMs) => atMs / 1000 + ((atMs / 1000) % 3) * height)).error
  expect(noisy(2)).toBeGreaterThan(noisy(1))
})

test('a steady slope is that of the most: some samples far above do not tilt it, nor blur it', () => {
  const burst = (atMs: number) => ((atMs / 1000) % 7 === 6 ? 50 : 0)
  const wobble = (atMs: number) => ((atMs / 1000) % 3) / 10
  const { perHour, error } = steadySlopeOf(
    every(1, (atMs) => 100 + atMs / 1000 + burst(atMs) + wobble(atMs)),
  )
  expect(perHour).toBeGreaterThan(3_500)
  expect(perHour).toBeLessThan(3_700)
  expect(error).toBeLessThan(100)
  expect(slopeOf(every(1, (atMs) => 100 + atMs / 1000 + burst(atMs))).error).toBeGreaterThan(300)
  expect(steadySlopeOf([])).toEqual({ perHour: 0, error: 0 })
  expect(steadySlopeOf([{ atMs: 1, value: 1 }])).toEqual({ perHour: 0, error: 0 })
})
