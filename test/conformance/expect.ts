/** Assertions and type guards: a case fails by throwing Failure and skips by throwing Skip. */
import { isDeepStrictEqual } from 'node:util'

export class Failure extends Error {}

export class Skip extends Error {}

/** The data moved under a comparison, which says nothing about the server. */
export class Moved extends Failure {}

export type Json = Record<string, unknown>

export function ensure(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Failure(message)
}

export function skipUnless(condition: boolean, reason: string): asserts condition {
  if (!condition) throw new Skip(reason)
}

export const show = (value: unknown): string => {
  const shown = JSON.stringify(value) ?? String(value)
  return shown.length > 300 ? `${shown.slice(0, 300)}…` : shown
}

export function same(actual: unknown, expected: unknown, what: string): void {
  ensure(
    isDeepStrictEqual(actual, expected),
    `${what}: expected ${show(expected)}, got ${show(actual)}`,
  )
}

/** Equal up to rounding: relative 1e-6, or the given absolute slack. */
export function near(actual: number, expected: number, what: string, slack = 1e-6): void {
  const allowed = Math.max(slack, 1e-6 * Math.max(Math.abs(actual), Math.abs(expected)))
  ensure(Math.abs(actual - expected) <= allowed, `${what}: expected ${expected}, got ${actual}`)
}

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function record(value: unknown, what: string): Json {
  ensure(isRecord(value), `${what} must be an object, got ${show(value)}`)
  return value
}

export function list(value: unknown, what: string): unknown[] {
  ensure(Array.isArray(value), `${what} must be an array, got ${show(value)}`)
  return value
}

export const records = (value: unknown, what: string): Json[] =>
  list(value, what).map((item, i) => record(item, `${what}[${i}]`))

export function text(row: Json, name: string): string {
  const value = row[name]
  ensure(typeof value === 'string', `${name} must be a string, got ${show(value)}`)
  return value
}

export function num(row: Json, name: string): number {
  const value = row[name]
  ensure(typeof value === 'number', `${name} must be a number, got ${show(value)}`)
  return value
}

export function numbers(row: Json, name: string): number[] {
  return list(row[name], name).map((value, i) => {
    ensure(typeof value === 'number' && Number.isFinite(value), `${name}[${i}] is ${show(value)}`)
    return value
  })
}

export function optionalText(row: Json, name: string): string {
  const value = row[name]
  return typeof value === 'string' ? value : ''
}

const stamp = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/

export const isTimestamp = (value: string): boolean =>
  stamp.test(value) && !Number.isNaN(Date.parse(`${value.replace(' ', 'T')}Z`))

function unixOf(timestamp: string): number {
  ensure(isTimestamp(timestamp), `a timestamp must be YYYY-MM-DD HH:MM:SS, got ${show(timestamp)}`)
  return Date.parse(`${timestamp.replace(' ', 'T')}Z`) / 1000
}

export const unixAt = (row: Json, name: string): number => unixOf(text(row, name))

export function keysAre(row: Json, expected: string[], what: string): void {
  same(Object.keys(row).sort(), [...expected].sort(), `${what}: keys`)
}

export const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Data may move between two answers: a comparison may be repeated before it counts as failed. */
export async function steady(work: () => Promise<void>, attempts = 4, pause = 150): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      const last = attempt >= attempts
      if (last && error instanceof Moved) throw new Skip(error.message)
      if (last || !(error instanceof Failure)) throw error
      await wait(attempt * pause)
    }
  }
}
