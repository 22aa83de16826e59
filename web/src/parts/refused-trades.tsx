import { Note } from './note.tsx'

/** Says that the trades below it go no further, and why; null: they do. */
export function RefusedTrades({ refusal }: { readonly refusal: string | null }) {
  return refusal === null ? null : <Note title="No further trades come">{refusal}</Note>
}
