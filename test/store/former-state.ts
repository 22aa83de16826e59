import type { Engine } from '../../src/engine/engine.ts'
import { ROW_MASK, ROW_SHIFT, Rows } from '../../src/engine/memory/rows.ts'
import type { StatePart } from '../../src/engine/memory/state-part.ts'
import { PositionLane } from '../../src/engine/state/layout.ts'
import { PositionRecord, type PositionRows } from '../../src/engine/state/position-rows.ts'
import { State } from '../../src/engine/state/state.ts'
import { formerTexts } from './former-texts.ts'
import { birthsOf, tokensOf, windowsOf } from './former-tokens.ts'

/** A part of a saved state, as bytes. */
export type SavedPart = Pick<StatePart, 'name' | 'facts' | 'views'>

/** Parts that snapshots before version 14 have not. */
export const NEW_PARTS: readonly string[] = [
  ...['token crowds', 'crowd tops', 'bar heads', 'seldom births', 'token profiles'],
  ...['position sales', 'wide positions'],
]
const CHANGED_PARTS = ['tokens', 'births', 'windows', 'metadata', 'texts', 'positions']

/** What snapshots before version 14 have in the place of the parts of a saved state. What late events roll back to is left out: they are refused. */
export function formerState(saved: readonly SavedPart[]): SavedPart[] {
  const state = new State()
  const names = [...NEW_PARTS, ...CHANGED_PARTS]
  const parts = state.parts.filter(({ name }) => names.includes(name))
  for (const part of parts) fill(part, savedOf(saved, part.name))
  for (const part of parts) part.settle()
  const births = birthsOf(state)
  const texts = formerTexts(state.texts, births, state.metadata)
  return [
    ...[tokensOf(state).part('tokens'), births.part('births'), windowsOf(state).part('windows')],
    ...[state.metadata.part('metadata'), texts.part('texts')],
    { ...positionsOf(state.positions).part('positions'), facts: savedOf(saved, 'positions').facts },
    withoutImages(savedOf(saved, 'undo')),
  ]
}

/** Loads such parts, and those that did not change, into an engine. */
export function loadFormer(saved: readonly SavedPart[], into: Engine): Engine {
  const parts = into.parts.filter(({ name }) => !NEW_PARTS.includes(name))
  const formers = parts.map((part) => part.former?.(13) ?? part)
  for (const part of formers) fill(part, savedOf(saved, part.name))
  for (const part of formers) part.settle()
  return into
}

/** Makes a part what was saved of it. */
function fill(part: StatePart, { facts, views }: SavedPart): void {
  const bytes = Buffer.concat(views())
  let at = 0
  for (const view of part.open(facts())) {
    view.set(bytes.subarray(at, at + view.length))
    at += view.length
  }
  if (at !== bytes.length) throw new Error(`${part.name} has ${at} bytes, ${bytes.length} came`)
}

function savedOf(parts: readonly SavedPart[], name: string): SavedPart {
  const part = parts.find((one) => one.name === name)
  if (part === undefined) throw new Error(`the state has no ${name}`)
  return part
}

function positionsOf(rows: PositionRows): Rows {
  const former = new Rows(PositionLane.lanes)
  const record = new PositionRecord()
  for (let row = 0; row < rows.count; row++) {
    former.add()
    rows.copy(row, record)
    former.u32[row >>> ROW_SHIFT]?.set(record.u32, (row & ROW_MASK) * PositionLane.lanes)
  }
  return former
}

function withoutImages({ name, facts }: SavedPart): SavedPart {
  const [lanes = 0, head = 0] = facts()
  return { name, facts: () => [lanes, head, head], views: () => [] }
}
