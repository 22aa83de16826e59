import type { PackedTexts } from '../../src/engine/memory/packed-texts.ts'
import { Rows } from '../../src/engine/memory/rows.ts'
import type { StatePart } from '../../src/engine/memory/state-part.ts'
import { TextStore } from '../../src/engine/memory/text-store.ts'
import { LifecycleLane, MetadataLane } from '../../src/engine/state/layout.ts'

const { name, symbol, uri, migrationSignature } = LifecycleLane
const BIRTH_TEXTS = [name, symbol, uri, migrationSignature]
const METADATA_TEXTS = Array.from({ length: 7 }, (_, at) => MetadataLane.firstText + at)

/** Texts and the rows that name them, as snapshots before version 14 have them: each text as it is. */
export function formerTexts(state: {
  readonly texts: PackedTexts
  readonly births: Rows
  readonly metadata: Rows
}): StatePart[] {
  const plain = new TextStore()
  const copy = (rows: Rows, lanes: readonly number[]): Rows => {
    const former = new Rows(rows.lanes)
    for (let row = 0; row < rows.count; row++) {
      former.add()
      for (let lane = 0; lane < rows.lanes; lane++) former.set(row, lane, rows.get(row, lane))
      for (const lane of lanes) {
        const text = Buffer.from(state.texts.get(rows.get(row, lane)))
        former.set(row, lane, text.length === 0 ? 0 : plain.putBytes(text))
      }
    }
    return former
  }
  const births = copy(state.births, BIRTH_TEXTS)
  const metadata = copy(state.metadata, METADATA_TEXTS)
  return [plain.part('texts'), births.part('births'), metadata.part('metadata')]
}
