/**
 * Reads files of former versions in the form of today: snapshots of versions 9 (0.9.14 to 0.9.23) to 13, and chunks of
 * version 1. Older snapshots are refused (docs/decisions/0030-two-versions-are-read.md). Journals of every version are
 * read as they are: versions only brought new kinds of frames, and lanes that were zero before.
 *
 * A snapshot is brought up once, when it is loaded. A chunk is shared by the snapshots that refer to it by the crc
 * of its header, so it stays as it is and its records are brought up whenever they are read.
 */
import { lanesIn } from '../../engine/memory/views.ts'

/** By version: the parts that it brought, and the size of each before anything is in it. */
const NEW_PARTS: Readonly<Record<number, Readonly<Record<string, number>>>> = {
  10: { 'quote coins': 0, 'clamp balances': 16, 'last burn': 1, 'route sales': 64 },
  11: { 'unseen slots': 0 },
  13: { 'minute bars': 0, 'hour bars': 0 },
  14: {
    ...{ 'token crowds': 1, 'crowd tops': 1, 'bar heads': 1, 'seldom births': 1 },
    ...{ 'token profiles': 1, 'position sales': 0, 'wide positions': 0 },
  },
}

type BringUp = (name: string, views: readonly Uint8Array[]) => void

/**
 * What a snapshot of a version lacks of the present one: sizes of parts that are not in it and begin zeroed, and what
 * brings the bytes of a part up where they were loaded to.
 */
export function upgradeOf(version: number) {
  const later = Object.entries(NEW_PARTS).filter(([brought]) => Number(brought) > version)
  const newParts = new Map(later.flatMap(([, parts]) => Object.entries(parts)))
  const bringUp: BringUp = version < 10 ? octoberUpgrade() : () => {}
  return { newParts, bringUp }
}

/** u32 lanes of a token and of its metadata, and those that count: traders, and (version 10) positions. */
const TOKEN_LANES = 52
const TRADERS = 43
const METADATA_LANES = 10
const POSITIONS = 9

/**
 * Parts of version 9 in the form of version 10, whose folded records keep LP fee, cashback and hop, and whose tokens
 * count their positions: before, every one of them was a trader's.
 */
function octoberUpgrade(): BringUp {
  let tokens: readonly Uint32Array[] = []
  return (name, views) => {
    if (name === 'tape') for (const view of views) upgradeFoldedRecords(lanesIn(view))
    // Tokens stand before their metadata, as many in a page.
    if (name === 'tokens') tokens = views.map(lanesIn)
    if (name !== 'metadata') return
    for (const [page, lanes] of views.map(lanesIn).entries())
      for (let at = 0, row = 0; at < lanes.length; at += METADATA_LANES, row++)
        lanes[at + POSITIONS] = tokens[page]?.[row * TOKEN_LANES + TRADERS] ?? 0
  }
}

/**
 * Folded swap records of snapshots up to version 9 and chunks of version 1, put into the form of later ones
 * where they lie (`beginFold` in events/swap-record.ts):
 *
 * - the price of SOL that the feed gave stood in a lane that is the cashback's now; there was no cashback then. The
 *   sign of the price that the fold used says that none was given;
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
      lanes[at + USED_SOL_PRICE + 1] = ((lanes[at + USED_SOL_PRICE + 1] ?? 0) | SIGN) >>> 0
    clear(lanes, at + GIVEN_SOL_PRICE)
    if (((lanes[at + FLAGS] ?? 0) & AMM) !== 0) clear(lanes, at + AMM_REAL_BASE)
  }
}

/** Is the double above 0 that lies there? The bytes are looked at: no copy of a double touches them up. */
function isAbove0(lanes: Uint32Array, at: number): boolean {
  const high = lanes[at + 1] ?? 0
  return ((lanes[at] ?? 0) | high) !== 0 && high < SIGN
}

function clear(lanes: Uint32Array, at: number): void {
  lanes[at] = 0
  lanes[at + 1] = 0
}
