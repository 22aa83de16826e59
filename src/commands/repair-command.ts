import { createInterface } from 'node:readline/promises'
import { TAPE_CHUNK_RECORDS } from '../engine/state/tape.ts'
import { NodeDisk } from '../store/disk/node-disk.ts'
import { endOrphan, lockFolder } from '../store/folder/process-lock.ts'
import { MappedRing } from '../store/journal/mapped-ring.ts'
import { type Command, Exit, seqFlag, type Terminal, UsageError } from './command.ts'
import { giveToOwner } from './folder-owner.ts'
import { count } from './inspect-text.ts'
import { carryOut, isNothing } from './repair.ts'
import { planRepair, type RepairPlan } from './repair-plan.ts'
import { emptyRing } from './repair-ring.ts'
import { settledDisk } from './settled-disk.ts'

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

const KEEPS_ALL =
  'No event will be given up: the next start makes anew, out of the journal, what was in'

/** Do files go alone that the journal makes again? */
function keepsAll({ place, cut, segments, snapshots }: RepairPlan): boolean {
  const isJournalKept = cut === null && segments.length === 0
  return isJournalKept && snapshots.every(({ number }) => number <= place.seq)
}

function eventsText({ place, lastSeq, frames, bytes }: RepairPlan): string {
  const told = lastSeq > place.seq ? ` (as far as can be told to ${count(lastSeq - 1)})` : ''
  const sum = `${count(bytes)} bytes of journal, ${count(frames)} whole frames`
  return `Events from seq ${count(place.seq)} on${told} will be given up: ${sum}.`
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
