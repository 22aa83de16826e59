import fs from 'node:fs'
import { join } from 'node:path'
import type { Market } from '../../config/source-settings.ts'
import { NodeDisk } from '../disk/node-disk.ts'
import { listDataFiles, writeWhole } from './data-folder.ts'

/** Of the file in a data folder that says which market it holds. */
const NAME = 'market'
const SAID = { simulated: 'a simulated market', chain: 'the market of the chain' } as const

/**
 * Why a feed of this market may not go into a folder, or null. Made-up tokens and trades would stand
 * beside real ones for good: a start that forgot its FEED takes the simulator.
 */
export function otherMarket(folder: string, market: Market | null): string | null {
  const held = heldMarket(folder)
  if (market === null || held === null || held === market) return null
  return (
    `${folder} holds ${SAID[held]}, and FEED brings ${SAID[market]}: set the other FEED or another DATA_DIR ` +
    `(or remove ${join(folder, NAME)} to have both in one).`
  )
}

/** Why a market may not be seeded where FEED brings another one, or null. */
export function otherSeed(seed: Market | null, market: Market | null): string | null {
  if (seed === null || market === null || seed === market) return null
  return (
    `SEED_URL holds ${SAID[seed]}, and FEED brings ${SAID[market]}: set the other FEED, or the SEED_URL of an ` +
    'instance of the same market.'
  )
}

/**
 * What is to be said of a folder before a feed of this market goes into it for the first time, or null:
 * nobody knows what it holds, which may be a day of the chain that a start without FEED is about to spoil.
 */
export function unknownMarket(folder: string, market: Market | null): string | null {
  if (market === null || heldMarket(folder) !== null) return null
  const { segments, snapshots } = listDataFiles(new NodeDisk(), folder)
  if (segments.length + snapshots.length === 0) return null
  return (
    `${folder} has events of which it does not say what market they are of, as those of a recording or of a ` +
    `version before 0.9.10: with this FEED it counts as ${SAID[market]} from now on.`
  )
}

/**
 * Writes down which market a folder holds, once, before it takes any event of it and after all that may refuse
 * the start; `warn` takes what the user should know of that.
 */
export function markMarket(
  folder: string,
  market: Market | null,
  warn: (sentence: string) => void,
): void {
  if (market === null || heldMarket(folder) === market) return
  const unknown = unknownMarket(folder, market)
  if (unknown !== null) warn(unknown)
  writeWhole(new NodeDisk(), folder, join(folder, NAME), (append) =>
    append(Buffer.from(`${market}\n`)),
  )
}

/** A folder that is made of another one holds its market. */
export function copyMarket(from: string, to: string): void {
  if (fs.existsSync(join(from, NAME))) fs.copyFileSync(join(from, NAME), join(to, NAME))
}

/** Whether a folder says that its market is the simulator's; of one that cannot be read the start speaks later. */
export function isSimulatedFolder(folder: string): boolean {
  try {
    return heldMarket(folder) === 'simulated'
  } catch {
    return false
  }
}

/** null: nothing of either was taken since folders say so. */
export function heldMarket(folder: string): Market | null {
  const path = join(folder, NAME)
  const text = fs.existsSync(path) ? fs.readFileSync(path, 'utf8').trim() : ''
  return text === 'simulated' || text === 'chain' ? text : null
}
