import { type Command, Exit } from './command.ts'
import { inspectFolder } from './inspect.ts'
import { reportText } from './inspect-text.ts'
import { progressOn } from './progress.ts'
import { settledDisk } from './settled-disk.ts'

/** `mintfeed inspect`. */
export const inspectCommand: Command = {
  summary: 'what is in a data folder, and whether the service would start with it',
  help:
    'Reads every byte and checks every crc; changes nothing and takes no lock, so that it works\n' +
    'while the service runs (the last write of the journal may then be under way).\n' +
    'Exit code 0: the service would start; 1: it would not.',
  flags: { json: { type: 'boolean', meaning: 'one JSON object instead of text' } },
  run({ folder, flags }, { stdout, stderr }) {
    const report = inspectFolder(() => settledDisk(folder), folder, progressOn(stderr))
    stdout.write(flags.json === true ? `${JSON.stringify(report)}\n` : reportText(report))
    return report.verdict.starts ? Exit.good : Exit.bad
  },
}
