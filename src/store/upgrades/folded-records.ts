/**
 * Folded swap records of snapshots up to version 9 and chunks of version 1, put into the form of later ones
 * where they lie (`beginFold` in events/swap-record.ts):
 *
 * - what the dollars of a SOL were that the feed gave stood in a lane that is the cashback's now, of which
 *   there was none. That none was given is told by the sign of those that the fold used;
 * - the real base of an AMM swap, which moved nothing, stood where its LP fee is now.
 *
 * Numbers of lanes stand here as these files have them, whatever records become later.
 */
const RECORD_LANES = 56
const FLAGS = 5
const AMM = 1 << 1
/** f64 lanes, as the first of two u32 lanes each. */
const GIVEN_SOL_PRICE = 12
const USED_SOL_PRICE = 14
const AMM_REAL_BASE = 28
const SIGN = 0x80000000

/** Records behind one another, from lane 0 on. */
export function upgradeFoldedRecords(lanes: Uint32Array): void {
  for (let at = 0; at + RECORD_LANES <= lanes.length; at += RECORD_LANES) {
    const isGiven = isAbove0(lanes, at + GIVEN_SOL_PRICE)
    if (!isGiven && isAbove0(lanes, at + USED_SOL_PRICE))
      lanes[at + USED_SOL_PRICE + 1] = (lanes[at + USED_SOL_PRICE + 1] | SIGN) >>> 0
    clear(lanes, at + GIVEN_SOL_PRICE)
    if ((lanes[at + FLAGS] & AMM) !== 0) clear(lanes, at + AMM_REAL_BASE)
  }
}

/** Is the double above 0 that lies there? The bytes are looked at: no copy of a double touches them up. */
function isAbove0(lanes: Uint32Array, at: number): boolean {
  return (lanes[at] | lanes[at + 1]) !== 0 && lanes[at + 1] < SIGN
}

function clear(lanes: Uint32Array, at: number): void {
  lanes[at] = 0
  lanes[at + 1] = 0
}
