import { METADATA_KEYS } from '../../events/event.ts'
import type { PackedTexts } from '../memory/packed-texts.ts'
import type { Rows } from '../memory/rows.ts'
import { StateError, type StatePart } from '../memory/state-part.ts'
import { TextStore } from '../memory/text-store.ts'
import { LifecycleLane, MetadataLane } from './layout.ts'

/** First version of snapshots whose texts are in codes. */
const TEXTS_IN_CODES = 14
const { name, symbol, uri, migrationSignature } = LifecycleLane
const BIRTH_LANES = [name, symbol, uri, migrationSignature]
const METADATA_LANES = METADATA_KEYS.map((_, place) => MetadataLane.firstText + place)

/**
 * The texts as a part of the state. Those of a former snapshot lie as they were read, and get their codes once the rows that name
 * them are there. Images in the undo log name them too, in lanes that are never restored.
 */
export function textsPart(texts: PackedTexts, births: Rows, metadata: Rows): StatePart {
  const part = texts.part('texts')
  const former = (): StatePart => {
    const plain = new TextStore()
    const settle = () => {
      texts.clear()
      for (let token = 0; token < births.count; token++) {
        takeTexts(births, token, BIRTH_LANES, plain, texts)
        takeTexts(metadata, token, METADATA_LANES, plain, texts)
      }
    }
    return { ...plain.part(part.name), settle }
  }
  return { ...part, former: (version) => (version < TEXTS_IN_CODES ? former() : null) }
}

function takeTexts(
  rows: Rows,
  row: number,
  lanes: readonly number[],
  from: TextStore,
  into: PackedTexts,
): void {
  for (const lane of lanes) {
    const reference = rows.get(row, lane)
    if (reference >= from.units) throw new StateError(`row ${row} names no text of the state`)
    if (reference !== 0) rows.set(row, lane, into.putBytes(from.view(reference)))
  }
}
