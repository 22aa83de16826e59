import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { TAPE_CHUNK_RECORDS } from '../engine/state/tape.ts'
import type { Disk } from '../store/disk/disk.ts'
import { NodeDisk } from '../store/disk/node-disk.ts'
import { FileCommitMarker } from '../store/folder/commit-marker.ts'
import {
  copyTail,
  listDataFiles,
  type NumberedFile,
  syncFiles,
  withFile,
} from '../store/folder/data-folder.ts'
import { bootId, endOrphan, lockFolder } from '../store/folder/process-lock.ts'
import { Journal } from '../store/journal/journal.ts'
import { MappedRing, type RingPlace, ringPath } from '../store/journal/journal-ring.ts'
import { settleRing } from '../store/journal/journal-scan.ts'
import { type Command, count, Exit, seqFlag, type Terminal, UsageError } from './command.ts'
import { GIVEN_UP } from './inspect.ts'
import { settledDisk } from './read-only-disk.ts'
import { planRepair, type RepairPlan } from './repair-plan.ts'

const KEEPS_ALL =
  'No event will be given up: the next start makes anew, out of the journal, what was in'

/** Nothing has to go. */
export function isNothing({ cut, segments, snapshots }: RepairPlan): boolean {
  return cut === null && segments.length + snapshots.length === 0
}

/**
 * Moves what is given up into a folder of its own below the data folder and returns that. A segment
 * of a new epoch, empty and closed in order, says that the stream has broken off here.
 *
 * It takes the place of the first segment that goes. Until the last step a start refuses what is
 * left or finds the new epoch, and a repair that was interrupted can be run again.
 */
export function carryOut(disk: Disk, folder: string, plan: RepairPlan, now: Date): string {
  const { cut, snapshots, chunks, segments } = plan
  const givenUp = newFolder(disk, folder, now)
  const move = ({ path, name }: NumberedFile) => disk.rename(path, join(givenUp, name))
  if (cut !== null) {
    const { file, byte, bytes } = cut
    const to = join(givenUp, `${file.name}.from-byte-${byte}`)
    copyTail(disk, { path: file.path, byte, bytes }, to)
  }
  for (const file of [...snapshots, ...chunks, ...segments.slice(0, 1)]) move(file)
  // What is given up has to be there, by its name, before it goes where it was.
  disk.syncFolder(givenUp)
  beginEpoch(disk, folder, plan)
  if (cut !== null)
    withFile(disk.open(cut.file.path), (file) => {
      file.truncate(cut.byte)
      file.sync()
    })
  for (const file of segments.slice(1)) move(file)
  disk.syncFolder(givenUp)
  disk.syncFolder(folder)
  return givenUp
}

function newFolder(disk: Disk, folder: string, now: Date): string {
  const stamp = now.toISOString().replaceAll(':', '-')
  const path = join(folder, `${GIVEN_UP}${stamp}`)
  disk.makeFolder(path)
  return path
}

function beginEpoch(disk: Disk, folder: string, { place }: RepairPlan): void {
  const journal = new Journal(
    {
      disk,
      folder,
      fsync: 'always',
      epoch: randomUUID(),
      boot: bootId(),
      mark: new FileCommitMarker(folder),
      onFailure: (failure) => {
        throw failure
      },
    },
    place,
  )
  journal.close()
}

/** `mintfeed repair`. */
export const repairCommand: Command = {
  summary: 'gives up everything from a seq or a damaged place on, so that the service starts',
  help:
    'From the first frame that reaches beyond --until, or the first damaged place before it, all\n' +
    'is moved to given-up-<time> in the data folder, later segments and snapshots too; nothing is\n' +
    'deleted. The stream gets a new epoch, by which clients see that it broke off. The service\n' +
    'must be stopped. Look at the folder with "mintfeed inspect" first.',
  flags: {
    until: { type: 'string', meaning: 'seq behind the last event that stays (required)' },
    yes: { type: 'boolean', meaning: 'do not ask; required where there is no terminal' },
  },
  async run(asked, terminal) {
    const { folder, flags } = asked
    const until = seqFlag(asked, 'until')
    if (until === null) throw new UsageError('repair needs --until <seq>: what is to stay.')
    const isSure = flags.yes === true
    if (!isSure && terminal.stdin.isTTY !== true)
      throw new UsageError('repair asks before it does anything: without a terminal say --yes.')
    const unlock = lockFolder(folder)
    try {
      endOrphan(folder)
      const plan = planRepair(settledDisk(folder), folder, until, TAPE_CHUNK_RECORDS)
      if (isNothing(plan)) {
        terminal.stdout.write(
          `Nothing reaches beyond seq ${until}, and no damage keeps the service from starting.\n`,
        )
        return Exit.good
      }
      terminal.stdout.write(planText(plan))
      if (!isSure && !(await isConfirmed(terminal))) return Exit.bad
      const disk = new NodeDisk()
      emptyRing(disk, folder, new MappedRing(folder, null, () => {}))
      const givenUp = carryOut(disk, folder, plan, new Date())
      terminal.stdout.write(
        `Moved to ${givenUp}; the next start begins at seq ${plan.place.seq} with a new epoch.\n`,
      )
      return Exit.good
    } finally {
      giveToOwner(folder)
      unlock()
    }
  },
}

function planText(plan: RepairPlan): string {
  const { cut, segments, snapshots, chunks } = plan
  const where = cut === null ? [] : [`  ${cut.file.name} from byte ${count(cut.byte)} on`]
  const files = [...segments, ...snapshots, ...chunks].map(({ name }) => `  ${name}`)
  return `${[keepsAll(plan) ? KEEPS_ALL : eventsText(plan), ...where, ...files].join('\n')}\n`
}

/** Do files go alone that the journal makes again? */
function keepsAll({ place, cut, segments, snapshots }: RepairPlan): boolean {
  const isJournalKept = cut === null && segments.length === 0
  return isJournalKept && snapshots.every(({ number }) => number <= place.seq)
}

function eventsText({ place, lastSeq, frames, bytes }: RepairPlan): string {
  const range = lastSeq > place.seq ? ` (as far as can be told to ${count(lastSeq - 1)})` : ''
  const sum = `${count(bytes)} bytes of journal, ${count(frames)} whole frames`
  return `Events from seq ${count(place.seq)} on${range} will be given up: ${sum}.`
}

async function isConfirmed({ stdin, stderr }: Terminal): Promise<boolean> {
  const lines = createInterface({ input: stdin, output: stderr })
  try {
    // Ctrl-D and Ctrl-C close the lines, and leave the question unanswered for ever.
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
    const answer = lines.question('Give this up? Type yes: ')
    return (await Promise.race([answer, closed])).trim() === 'yes'
  } finally {
    lines.close()
  }
}

/**
 * Gives what root has made in another user's data folder to that one: the service could not open it. (To
 * work as that user from the beginning is no way: the folder may lie in one that root alone may enter.)
 */
function giveToOwner(folder: string): void {
  if (process.geteuid?.() !== 0) return
  try {
    const { uid, gid } = fs.statSync(folder)
    if (uid === 0) return
    for (const path of madeByRoot(folder)) fs.lchownSync(path, uid, gid)
  } catch {
    // This root may not: the service says which file it cannot open.
  }
}

function madeByRoot(folder: string): string[] {
  return fs.readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    const stat = fs.lstatSync(path)
    const isOfRoot = stat.uid === 0
    if (stat.isDirectory())
      return name.startsWith(GIVEN_UP) ? [...(isOfRoot ? [path] : []), ...madeByRoot(path)] : []
    // A file with another name somewhere may be one that root keeps from this user.
    return isOfRoot && stat.isFile() && stat.nlink === 1 ? [path] : []
  })
}

/**
 * What a killed process had in its ring alone is of the journal, before anything is given up of it: it lasts in
 * the segment before the ring goes.
 */
export function emptyRing(disk: Disk, folder: string, place: RingPlace): void {
  const { segments } = listDataFiles(disk, folder)
  settleRing(disk, folder, segments, place)
  // And the segments before, with their names: of those too the process may have synced nothing yet.
  syncFiles(disk, folder, segments)
  // Else the next start would take out of it what is given up.
  const ring = ringPath(folder)
  if (disk.list(folder).includes(basename(ring))) disk.remove(ring)
}
