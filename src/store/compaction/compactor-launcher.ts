import { type ChildProcess, fork } from 'node:child_process'
import os from 'node:os'
import { Compile } from 'typebox/compile'
import { messageOf } from '../../base/errors.ts'
import { entryFile } from '../../base/program-files.ts'
import { StoreError } from '../disk/failure.ts'
import { endOrphan } from '../folder/process-lock.ts'
import {
  type CompactorProgress,
  type CompactorResult,
  type CompactorRun,
  LauncherMessage,
} from './compactor-messages.ts'

/** V8 heap of the launcher: it holds one run and passes lines on. */
const HEAP_MB = 32
/**
 * Longest silence of a launcher that runs a compactor, and then says each second that it is alive: one that hangs
 * would hold a stop for ever. Of the lowest priority, it may wait for a core for some seconds.
 */
const LAUNCHER_SILENCE_MS_MAX = 60_000
/** That it hangs is found by so many looks without a word of it. */
const LOOKS = 6
/** The serving process comes first whenever both want a core. */
const LOWEST_PRIORITY = 19

const launcherMessage = Compile(LauncherMessage)

/**
 * A small process that starts the compactors (src/store/compaction/launch.ts). Starting a process copies the page
 * tables of the one that starts it: with 1 GB of state that would hold the loop for some 65 ms. So
 * it is begun before there is any state; one that is gone is begun anew when it is needed.
 */
export class CompactorLauncher {
  #process: ChildProcess | null = null
  readonly #silenceMsMax: number

  constructor(silenceMsMax = LAUNCHER_SILENCE_MS_MAX) {
    this.#silenceMsMax = silenceMsMax
  }

  /** Begins the process: while this one is small. */
  start(): void {
    // A group of its own: Ctrl-C is for the program, which may still want a last snapshot.
    const launcher = fork(entryFile('launch'), [], {
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      detached: true,
      // None of the program's own: who reads those waits until nobody has them open.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#process = launcher
    lowerPriority(launcher.pid)
    const forget = () => {
      if (this.#process === launcher) this.#process = null
    }
    launcher.on('error', forget)
    launcher.on('exit', forget)
    launcher.on('disconnect', forget)
  }

  /** Pid of the process; null while there is none. */
  get pid(): number | null {
    return this.#process?.pid ?? null
  }

  /** Runs a compactor, one at a time; rejects with a StoreError when it did not end well. */
  run(
    run: CompactorRun,
    onProgress: (progress: CompactorProgress) => void,
  ): Promise<CompactorResult> {
    if (this.#process === null) this.start()
    const launcher = this.#process
    return new Promise((resolve, reject) => {
      if (launcher === null) return reject(notMade('its launcher could not be started'))
      const take = (message: unknown) => {
        if (!launcherMessage.Check(message)) return
        silentLooks = 0
        if ('alive' in message) return
        if ('progress' in message) return onProgress(message.progress)
        end()
        if ('result' in message) resolve(message.result)
        else reject(notMade(message.failed))
      }
      const gone = () => {
        end()
        reject(notMade('its launcher has ended'))
      }
      const hangs = () => {
        end()
        reject(notMade(this.#endHanging(launcher, run.folder)))
      }
      // Looks are counted: one alone may come late, and before what lies in the channel, where this process slept.
      let silentLooks = 0
      const silence = setInterval(() => {
        silentLooks += 1
        if (silentLooks >= LOOKS) hangs()
      }, this.#silenceMsMax / LOOKS)
      const end = () => {
        clearInterval(silence)
        launcher.off('message', take)
        launcher.off('disconnect', gone)
        launcher.off('error', gone)
      }
      launcher.on('message', take)
      launcher.on('disconnect', gone)
      launcher.on('error', gone)
      launcher.send(run)
    })
  }

  /** Ends one that hangs, and its compactor, which must not work beside the next one; says what came of it. */
  #endHanging(launcher: ChildProcess, folder: string): string {
    const reason = `its launcher told nothing for ${this.#silenceMsMax / 1000} s and was ended`
    launcher.kill('SIGKILL')
    if (this.#process === launcher) this.#process = null
    try {
      endOrphan(folder)
      return reason
    } catch (error) {
      return `${reason}; ${messageOf(error)}`
    }
  }

  /** Ends the process, and a compactor that it runs. */
  stop(): void {
    if (this.#process?.connected === true) this.#process.disconnect()
    this.#process = null
  }
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) os.setPriority(pid, LOWEST_PRIORITY)
  } catch {
    // Not allowed here, or it has ended: it then shares the cores as any other process.
  }
}

function notMade(reason: string): StoreError {
  return new StoreError('disk', `The snapshot was not made: ${reason}`)
}
