import type { PackedTexts } from '../../src/engine/memory/packed-texts.ts'
import type { Rows } from '../../src/engine/memory/rows.ts'
import { TextStore } from '../../src/engine/memory/text-store.ts'
import { MetadataLane } from '../../src/engine/state/layout.ts'

/** Name, symbol, URI and the signature of the migration in a birth of before version 14. */
const BIRTH_TEXTS = [12, 13, 14, 15]
const METADATA_TEXTS = Array.from({ length: 7 }, (_, at) => MetadataLane.firstText + at)

/** Texts as snapshots before version 14 have them, each as it is; the rows of then name them from here on. */
export function formerTexts(texts: PackedTexts, births: Rows, metadata: Rows): TextStore {
  const plain = new TextStore()
  const rename = (rows: Rows, lanes: readonly number[]) => {
    for (let row = 0; row < rows.count; row++)
      for (const lane of lanes) {
        const text = Buffer.from(texts.get(rows.get(row, lane)))
        rows.set(row, lane, text.length === 0 ? 0 : plain.putBytes(text))
      }
  }
  rename(births, BIRTH_TEXTS)
  rename(metadata, METADATA_TEXTS)
  return plain
}
