import { readMark } from '../store/folder/file-mark.ts'
import { bootId } from '../store/folder/process-lock.ts'
import { archivedEngine } from '../store/snapshot/archived-engine.ts'
import { type Command, Exit } from './command.ts'
import { progressOn } from './progress.ts'
import { settledDisk } from './settled-disk.ts'
import { type Check, verifyFolder } from './verify.ts'

/** `mintfeed verify`. */
export const verifyCommand: Command = {
  summary: 'replays the journal and compares it with snapshots and tape',
  help:
    'Each snapshot is recomputed from the one before it and must have its digest; chunks of the\n' +
    'tape between them are recomputed and compared block by block; the tail is folded. Takes the\n' +
    'memory of the service. Changes nothing and takes no lock.\n' +
    'Exit code 0: all checks hold; 1: one does not.',
  flags: { json: { type: 'boolean', meaning: 'one JSON object instead of text' } },
  run({ folder, flags }, { stdout, stderr }) {
    // Before the files and the ring: a service that runs writes on meanwhile.
    const written = readMark(folder, bootId())
    const disk = settledDisk(folder)
    const isJson = flags.json === true
    const checks = verifyFolder({
      disk,
      folder,
      written,
      newEngine: () => archivedEngine(disk, folder),
      progress: progressOn(stderr),
      onCheck: (check) => {
        if (!isJson) stdout.write(checkLine(check))
      },
    })
    const bad = checks.filter(({ isGood }) => !isGood)
    const isGood = bad.length === 0
    const count = checks.length
    const isOne = count === 1
    if (isJson) stdout.write(`${JSON.stringify({ folder, isGood, checks })}\n`)
    else if (isGood) stdout.write(`${isOne ? 'the one check holds' : `all ${count} checks hold`}\n`)
    else
      stderr.write(
        `mintfeed: ${isOne ? 'the one check does' : `${bad.length} of ${count} checks do`} not hold.\n`,
      )
    return isGood ? Exit.good : Exit.bad
  },
}

function checkLine({ what, isGood, found }: Check): string {
  return `${isGood ? 'good' : 'BAD '}  ${what}: ${found}\n`
}
