import { expect, test } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { StateError } from '../../src/engine/memory/state-part.ts'
import { LifecycleLane, MetadataLane, SeldomLane } from '../../src/engine/state/layout.ts'
import { METADATA_KEYS } from '../../src/events/event.ts'
import { tokenText } from '../engine/memory/token-texts.ts'
import { byLength } from '../lengths.ts'
import { everyRead, firstUnlike } from '../model/every-read.ts'
import { created, migrated, START_SECOND } from '../oracle/fixtures.ts'
import { history } from '../oracle/histories.ts'
import { Random } from '../oracle/random.ts'
import { formerState, loadFormer, type SavedPart } from './former-state.ts'
import { behind, engineOf, foldSteps, stepsOf, usedEngineOf } from './restoring.ts'

const SEEDS = byLength(6, 20)
const FIRST_SEED = 20_261_130
/** A lane of a birth before version 14. */
const FORMER_MIGRATION_SIGNATURE = 15

/** An engine that was loaded from the state of another, as a snapshot of version 13 has it. */
function loadedFrom(saved: readonly SavedPart[], seed: number): Engine {
  return loadFormer(saved, usedEngineOf('event', seed))
}

function formerOf({ parts }: Engine): SavedPart[] {
  return [...formerState(parts), ...parts]
}

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
  test(`texts of a snapshot of version 13 are read and folded on as if they never lay there (seed ${seed})`, () => {
    const random = new Random(seed)
    const events = history(seed, 80)
    const steps = stepsOf(events, seed)
    const cut = random.integer(10, 75)
    const whole = engineOf('event')
    foldSteps(whole, steps.slice(0, cut))
    const engine = loadedFrom(formerOf(whole), seed)
    expect(firstUnlike(everyRead(engine, events), everyRead(whole, events))).toBeNull()
    const later = behind(whole, steps.slice(cut))
    for (const one of [engine, whole]) foldSteps(one, later)
    expect(firstUnlike(everyRead(engine, events), everyRead(whole, events))).toBeNull()
  })

test('each text of a token keeps its place, and none but those is kept', () => {
  const random = new Random(FIRST_SEED)
  const whole = engineOf('event')
  for (let i = 0; i < 200; i++) {
    const mint = `mint ${i}`
    const links = METADATA_KEYS.map((key) => [key, `https://${key}.test/${tokenText(random)}`])
    const text = () => tokenText(random)
    whole.accept(created({ mint, slot: i, name: text(), symbol: text(), uri: text() }))
    whole.accept(migrated({ mint, slot: i, signature: `migration ${i}` }))
    for (const _ of [0, 1])
      whole.accept({
        type: 'metadata',
        timestamp: START_SECOND,
        mint,
        ...Object.fromEntries(links),
      })
  }
  const engine = loadedFrom(formerOf(whole), FIRST_SEED)
  const textsOf = ({ state: { births, metadata, seldom, texts } }: Engine, token: number) => [
    ...[LifecycleLane.name, LifecycleLane.symbol, LifecycleLane.uri].map((lane) =>
      texts.get(births.get(token, lane)),
    ),
    texts.get(seldom.get(token, SeldomLane.migrationSignature)),
    ...METADATA_KEYS.map((_, at) => texts.get(metadata.get(token, MetadataLane.firstText + at))),
  ]
  for (let token = 0; token < 200; token++) {
    expect(textsOf(engine, token)).toEqual(textsOf(whole, token))
    expect(textsOf(engine, token)[3]).toBe(`migration ${token}`)
  }
  const next = ({ parts }: Engine) => parts.find(({ name }) => name === 'texts')?.facts()[0] ?? 0
  expect(next(engine)).toBeLessThanOrEqual(next(whole))
  expect(next(engine)).toBeGreaterThan(1_000)
})

test('a row of a damaged snapshot that names no text is refused', () => {
  const whole = engineOf('event')
  foldSteps(whole, stepsOf(history(1, 40), 1))
  const damaged = formerOf(whole)
  for (const [name, lane] of [
    ['births', FORMER_MIGRATION_SIGNATURE],
    ['metadata', MetadataLane.firstText + METADATA_KEYS.length - 1],
  ] as const) {
    const parts = damaged.map((part) => {
      if (part.name !== name) return part
      const views = part.views().map((view) => view.slice())
      new DataView(views[0].buffer).setUint32(lane * 4, 2 ** 31, true)
      return { ...part, views: () => views }
    })
    expect(() => loadedFrom(parts, 1), name).toThrow(StateError)
  }
})
