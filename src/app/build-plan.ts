import fs from 'node:fs'
import { basename, join } from 'node:path'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { jsonOf } from '../base/json-access.ts'
import { Engine } from '../engine/engine.ts'
import type { Disk } from '../store/disk/disk.ts'
import { NodeDisk } from '../store/disk/node-disk.ts'
import {
  listDataFiles,
  type NumberedFile,
  UNFINISHED,
  withFile,
  writeWhole,
} from '../store/folder/data-folder.ts'
import { copyMarket } from '../store/folder/market-mark.ts'
import { headerOf } from '../store/journal/journal-scan.ts'
import { type Contents, readContents } from '../store/snapshot/snapshot-file.ts'

const NAME = 'plan'

const Whole = Type.Integer({ minimum: 0 })
const Plan = Type.Object({
  /**
   * The slots that are missing, both included, and unix seconds of the first event behind them; null: none is, and what
   * came too late is put in its place.
   */
  gap: Type.Union([Type.Object({ from: Whole, to: Whole, seconds: Whole }), Type.Null()]),
  /** The first of them that is fetched; null: not decided yet. */
  from: Type.Union([Whole, Type.Null()]),
  /** The segment of the live journal in which the events behind the gap begin, and the seq. */
  live: Type.Object({ seq: Whole, segment: Whole }),
  /** Events in the build's own journal once the gap is filled: live ones follow. Null: it is not. */
  filledSeq: Type.Union([Whole, Type.Null()]),
  /** Live events before this seq that came too late are put in their place; absent: it is not decided yet. */
  lateSeq: Type.Optional(Whole),
})
const plan = Compile(Plan)

/** What a build fills and how far it is, as its folder has it. */
export type BuildPlan = Type.Static<typeof Plan>

/** Null: there is none, or none that is whole. */
export function readPlan(folder: string): BuildPlan | null {
  const path = join(folder, NAME)
  const value = fs.existsSync(path) ? jsonOf(fs.readFileSync(path, 'utf8')) : null
  return plan.Check(value) ? value : null
}

export function writePlan(folder: string, value: BuildPlan): void {
  const bytes = Buffer.from(JSON.stringify(value))
  writeWhole(new NodeDisk(), folder, join(folder, NAME), (append) => append(bytes))
}

/** A plan of which nothing is done. `live` is where the events behind the gap begin: with the whole journal at a start. */
export function newPlan(
  gap: BuildPlan['gap'],
  live: BuildPlan['live'] = { seq: 0, segment: 0 },
): BuildPlan {
  return { gap: gap && { ...gap }, from: null, live, filledSeq: gap === null ? live.seq : null }
}

/**
 * Begins the folder of a build: it gets what the live folder holds up to a place, by hard links, since none of these files
 * changes any more. The gap shows at that place (`live`), or what came too late belongs behind it.
 * @throws the system's own error where files cannot have two names
 */
export function beginBuild(
  disk: Disk,
  from: string,
  folder: string,
  gap: BuildPlan['gap'],
  live: BuildPlan['live'],
): void {
  // Under its name it is whole: what a kill leaves of it counts as nothing.
  const unfinished = `${folder}${UNFINISHED}`
  fs.rmSync(unfinished, { recursive: true, force: true })
  fs.mkdirSync(unfinished)
  const { segments, chunks, dormantChunks, ...files } = listDataFiles(disk, from)
  const snapshots = files.snapshots.filter(({ number }) => number <= live.seq)
  // A chunk that a later snapshot needs would be one that the build has yet to make.
  const needed = contentsOf(disk, snapshots.at(-1))?.chunks ?? { swaps: [], positions: [] }
  const linked = [
    ...segments.filter(({ number }) => number < live.segment),
    ...snapshots,
    ...chunks.filter(({ number }) => number < needed.swaps.length),
    ...dormantChunks.filter(({ number }) => number < needed.positions.length),
  ]
  for (const { path } of linked) fs.linkSync(path, join(unfinished, basename(path)))
  copyMarket(from, unfinished)
  writePlan(unfinished, newPlan(gap, live))
  fs.rmSync(folder, { recursive: true, force: true })
  disk.rename(unfinished, folder)
  disk.syncFolder(from)
}

/**
 * The last place before a slot from which the folder's journal can be folded anew, behind a snapshot or from the
 * beginning; null: both are gone.
 */
export function placeBefore(disk: Disk, folder: string, slot: number): BuildPlan['live'] | null {
  const { segments, snapshots } = listDataFiles(disk, folder)
  const headers = segments.slice(0, 1).map(({ path }) => headerOf(disk, path))
  const first = headers.find((header) => header !== null && header !== 'newer')
  if (first === undefined) return null
  for (const snapshot of snapshots.toReversed()) {
    const contents = contentsOf(disk, snapshot)
    if (contents === null || contents.seq < first.firstSeq) continue
    if (Engine.newestSlotOf(contents.parts) > slot) continue
    return { seq: contents.seq, segment: contents.segment }
  }
  return first.firstSeq === 0 ? { seq: 0, segment: 0 } : null
}

function contentsOf(disk: Disk, file: NumberedFile | undefined): Contents | null {
  if (file === undefined) return null
  return withFile(disk.open(file.path), (open) => readContents(open, file.path))
}
