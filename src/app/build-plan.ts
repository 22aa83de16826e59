import fs from 'node:fs'
import { basename, join } from 'node:path'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { jsonOf } from '../base/json-access.ts'
import type { Disk } from '../store/disk/disk.ts'
import { NodeDisk } from '../store/disk/node-disk.ts'
import { listDataFiles, UNFINISHED, writeWhole } from '../store/folder/data-folder.ts'
import { copyMarket } from '../store/folder/market-mark.ts'

const NAME = 'plan'

const Whole = Type.Integer({ minimum: 0 })
const Plan = Type.Object({
  /** The slots that are missing, both included, and unix seconds of the first event behind them. */
  gap: Type.Object({ from: Whole, to: Whole, seconds: Whole }),
  /** The first of them that is fetched; null: not decided yet. */
  from: Type.Union([Whole, Type.Null()]),
  /** The segment of the live journal in which the events behind the gap begin, and the seq. */
  live: Type.Object({ seq: Whole, segment: Whole }),
  /** Events in the build's own journal once the gap is filled: live ones follow. Null: it is not. */
  filledSeq: Type.Union([Whole, Type.Null()]),
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
  return { gap: { ...gap }, from: null, live, filledSeq: null }
}

/**
 * Begins the folder of a build for a gap that shows now: it gets what the live folder holds, by hard links, since none of
 * these files changes any more. `live` is where the journal goes on.
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
  const { segments, snapshots, chunks, dormantChunks } = listDataFiles(disk, from)
  const files = [
    ...segments.filter(({ number }) => number < live.segment),
    ...snapshots.filter(({ number }) => number <= live.seq),
    ...chunks,
    ...dormantChunks,
  ]
  for (const { path } of files) fs.linkSync(path, join(unfinished, basename(path)))
  copyMarket(from, unfinished)
  writePlan(unfinished, newPlan(gap, live))
  fs.rmSync(folder, { recursive: true, force: true })
  disk.rename(unfinished, folder)
  disk.syncFolder(from)
}
