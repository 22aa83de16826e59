/** Holds a record against a table of the specification: exact names, exact types, value rules. */
import { ensure, isTimestamp, type Json, num, show } from './expect.ts'
import type { Field, Rule } from './spec-tables.ts'

const rules: Record<Rule, (value: unknown) => boolean> = {
  timestamp: (value) => typeof value === 'string' && isTimestamp(value),
  filled: (value) => typeof value === 'string' && value !== '',
  percent: (value) => typeof value === 'number' && value >= 0 && value <= 100,
  count: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  amount: (value) => typeof value === 'number' && value >= 0,
  unix: (value) => Number.isSafeInteger(value) && Number(value) > 0 && Number(value) < 1e11,
}

function hasType(value: unknown, type: Field['type']): boolean {
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value)
  if (type === 'number[]')
    return Array.isArray(value) && value.every((one) => hasType(one, 'number'))
  return typeof value === type
}

function checkField(row: Json, field: Field, what: string): void {
  const { name, type, rule } = field
  if (!(name in row)) {
    ensure(!field.required, `${what} lacks the field ${name}`)
    return
  }
  const value = row[name]
  if (value === null && field.nullable) return
  ensure(hasType(value, type), `${what}.${name} must be a ${type}, got ${show(value)}`)
  if (rule) ensure(rules[rule](value), `${what}.${name} must be a ${rule}, got ${show(value)}`)
}

/** Every field of the table with its type, and no other field. */
export function checkShape(row: Json, table: Field[], what: string): void {
  for (const field of table) checkField(row, field, what)
  const known = new Set(table.map((field) => field.name))
  const extra = Object.keys(row).filter((name) => !known.has(name))
  ensure(extra.length === 0, `${what} has fields the table does not know: ${extra.join(', ')}`)
}

/** The sums that hold between the 24 hour fields of a token. */
export function checkDay(row: Json, what: string): void {
  const counted = num(row, 'tx_24h_buy') + num(row, 'tx_24h_sell')
  ensure(num(row, 'tx_24h') === counted, `${what}: tx_24h ${row.tx_24h} is not ${counted}`)
  const volume = num(row, 'vol_24_buy') + num(row, 'vol_24_sell')
  const gap = Math.abs(num(row, 'vol_24h') - volume)
  ensure(gap <= 1e-5 + volume * 1e-9, `${what}: vol_24h ${row.vol_24h} is not ${volume}`)
}
