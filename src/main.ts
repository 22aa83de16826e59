/** The program's start: a command when the arguments ask for one, else the service. */

import { beginThroughHangUp, endAsFirst, endWithParent } from './app/signals.ts'
import { isCommandLine, isHelp } from './cli/command-line.ts'

endAsFirst()
endWithParent()
const args = process.argv.slice(2)
// Somebody waits for either, and neither for what only the other needs.
if (args[0] === 'sequence' && !isHelp(args.slice(1))) {
  beginThroughHangUp()
  const { startSequencer } = await import('./app/start-service.ts')
  await startSequencer(args.slice(1))
} else if (isCommandLine(args)) {
  const { runCommandLine } = await import('./cli/command-line.ts')
  const streams = () => import('./app/stream-folder.ts')
  await runCommandLine(
    args,
    async (asked) => {
      const { backfill } = await import('./app/backfill.ts')
      return backfill(asked)
    },
    {
      read: async (asked, use) => (await streams()).readStream(asked, use),
      position: async (...given) => (await streams()).positionInStream(...given),
      snapshot: async (asked, use) => (await streams()).fetchSnapshot(asked, use),
    },
  )
} else {
  beginThroughHangUp()
  const { startService } = await import('./app/start-service.ts')
  await startService(args)
}
