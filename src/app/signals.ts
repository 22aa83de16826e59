import os from 'node:os'
import { isatty } from 'node:tty'
import type { makeLog } from './log.ts'

const STANDARD_STREAMS = [0, 1, 2]
/** The exit code of a program that a signal ended is this plus the signal's number. */
const EXIT_SIGNAL = 128
/** The kernel keeps unhandled signals from this process. */
const FIRST_PID = 1

/** A SIGHUP came before there was a service to do what it means. */
let wasHungUp = false

/**
 * What SIGHUP means: a terminal that closes sends it to end its programs, a service manager or an operator to have
 * files read again.
 */
export function hangUpMeaning(at: {
  /** When the program started. */
  readonly wasAtTerminal: boolean
  readonly isAtTerminal: boolean
  readonly hasTls: boolean
}) {
  const { wasAtTerminal, isAtTerminal, hasTls } = at
  if (wasAtTerminal && !(isAtTerminal && hasTls)) return 'stop'
  return hasTls ? 'reload' : 'nothing'
}

/** What signals are for: the service or a sequencer. */
interface Stoppable {
  drain(): Promise<void>
  /** What is kept, for the last line of the log. */
  stored(): object
  reloadTls(): void
}

/**
 * SIGTERM and SIGINT drain; a second one while it does ends the process: the journal is safe. SIGHUP
 * reloads, stops or does nothing (docs/install.md, "Signals").
 */
export function obeySignals(
  program: Stoppable,
  hasTls: boolean,
  log: ReturnType<typeof makeLog>,
): void {
  let isDraining = false
  const drain = (signal: NodeJS.Signals) => {
    isDraining = true
    log.info({ signal }, 'draining')
    program.drain().then(
      () => {
        log.info({ ...program.stored() }, 'stopped')
        process.exit(0)
      },
      (error: unknown) => {
        log.error({ reason: String(error) }, 'draining failed')
        process.exit(1)
      },
    )
  }
  const stop = (signal: NodeJS.Signals) => (isDraining ? process.exit(1) : drain(signal))
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // By default Node opens a debugger, to which any user of the machine may connect.
  process.on('SIGUSR1', (signal) => log.info({ signal }, 'nothing is done at this signal'))
  const wasAtTerminal = isAtTerminal()
  process.on('SIGHUP', (signal) => {
    // A terminal that closes may send it twice, itself and by its shell.
    if (isDraining) return
    const meaning = hangUpMeaning({ wasAtTerminal, isAtTerminal: isAtTerminal(), hasTls })
    if (meaning === 'stop') drain(signal)
    else if (meaning === 'reload') program.reloadTls()
    else
      log.info({ signal }, 'nothing to reload: without TLS_CERT there are no files to read again')
  })
  // The files may have been read before it came.
  if (wasHungUp && hasTls) program.reloadTls()
}

/**
 * Keeps a SIGHUP from ending a service that starts: its manager sends one when a certificate is new, and would take
 * the end for a wanted one. A terminal that closes still ends it.
 */
export function beginThroughHangUp(): void {
  if (isAtTerminal()) return
  process.on('SIGHUP', () => {
    wasHungUp = true
  })
}

/**
 * Has SIGTERM and SIGINT end the first process of a container too while nothing else handles them: a service that
 * starts, a command.
 */
export function endAsFirst(): void {
  if (process.pid !== FIRST_PID) return
  for (const name of ['SIGTERM', 'SIGINT'] as const)
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(EXIT_SIGNAL + os.constants.signals[name])
    })
}

/** Drains when the parent process is gone (bin/mintfeed.js starts this one over a channel). */
export function endWithParent(): void {
  if (!process.connected) return
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  // A finished command does not wait for it.
  process.channel?.unref()
}

function isAtTerminal(): boolean {
  return STANDARD_STREAMS.some((stream) => isatty(stream))
}
