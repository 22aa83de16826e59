/**
 * The launcher: a small process that the serving one begins before it has any state, and that starts
 * a compactor whenever it is asked to. It ends, and ends its compactor, with the serving process.
 */
import type Type from 'typebox'
import { Compile } from 'typebox/compile'
import { messageOf } from '../../base/errors.ts'
import { type CompactorProgress, CompactorRun, type LauncherMessage } from './compactor-messages.ts'
import { runCompactor } from './compactor-process.ts'

/** A launcher that is silent for long is ended (store/compaction/compactor-launcher.ts): it says this often that it is not. */
const ALIVE_EVERY_MS = 1_000

const compactorRun = Compile(CompactorRun)
const ending = new AbortController()

function send(message: Type.Static<typeof LauncherMessage>): void {
  // The serving process may be gone by now: then nobody listens.
  if (process.connected) process.send?.(message)
}

process.on('message', (run) => {
  if (!compactorRun.Check(run)) return send({ failed: 'the launcher was asked for no run' })
  const breathing = setInterval(() => send({ alive: true }), ALIVE_EVERY_MS)
  const progressed = (progress: CompactorProgress) => send({ progress })
  runCompactor(run, process.ppid, progressed, ending.signal)
    .then(
      (result) => send({ result }),
      (error: unknown) => send({ failed: messageOf(error) }),
    )
    .finally(() => clearInterval(breathing))
})

process.on('disconnect', () => {
  ending.abort()
  process.exit()
})
