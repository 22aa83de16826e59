import { METADATA_KEYS } from '../../events/event.ts'
import type { PackedTexts } from '../memory/packed-texts.ts'
import type { Rows } from '../memory/rows.ts'
import { StateError, type StatePart } from '../memory/state-part.ts'
import { TextStore } from '../memory/text-store.ts'
import { LifecycleLane, MetadataLane, NARROW_ROWS, SeldomLane } from './layout.ts'
import type { SparseRows } from './token-rows.ts'

const BIRTH_LANES = [LifecycleLane.name, LifecycleLane.symbol, LifecycleLane.uri]
const METADATA_LANES = METADATA_KEYS.map((_, place) => MetadataLane.firstText + place)

/** The texts, and the rows that name them. */
interface NamingTexts {
  readonly texts: PackedTexts
  readonly births: Rows
  readonly seldom: SparseRows
  readonly metadata: Rows
}

/**
 * The texts as a part of the state, and the metadata, behind the other rows that name texts. Those of a former snapshot lie as
 * they were read, and get their codes once all rows that name them are there. Images in the undo log name them too, in lanes
 * that are never restored.
 */
export function textParts({ texts, births, seldom, metadata }: NamingTexts) {
  const textsPart = texts.part('texts')
  const metadataPart = metadata.part('metadata')
  let plain = new TextStore()
  const formerTexts = (): StatePart => {
    plain = new TextStore()
    return plain.part(textsPart.name)
  }
  const settle = () => {
    texts.clear()
    for (let token = 0; token < births.count; token++) {
      takeTexts(births, token, BIRTH_LANES, plain, texts)
      takeTexts(seldom.rows, seldom.rowOf(token), [SeldomLane.migrationSignature], plain, texts)
      takeTexts(metadata, token, METADATA_LANES, plain, texts)
    }
    plain = new TextStore()
  }
  const before = (version: number, part: () => StatePart) => (version < NARROW_ROWS ? part() : null)
  return {
    texts: { ...textsPart, former: (version: number) => before(version, formerTexts) },
    metadata: {
      ...metadataPart,
      former: (version: number) => before(version, () => ({ ...metadataPart, settle })),
    },
  }
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
