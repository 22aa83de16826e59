import os from 'node:os'
import { isatty } from 'node:tty'
import type { Logger, Program } from './program.ts'

const STANDARD_STREAMS = [0, 1, 2]
/** A program that a signal has ended is said to have ended with this and the signal's number. */
const EXIT_SIGNAL = 128
/** The process that the kernel keeps from signals which it does not handle. */
const FIRST_PID = 1

/** A SIGHUP came before there was a service to do what it means. */
let wasHungUp = false

interface HangUp {
  /** Whether the program was started at a terminal. */
  readonly wasAtTerminal: boolean
  readonly isAtTerminal: boolean
  readonly hasTls: boolean
}

/**
 * What SIGHUP means: a terminal that closes sends it to end its programs, a service manager or an
 * operator to have files read again.
 */
export function hangUpMeaning({ wasAtTerminal, isAtTerminal, hasTls }: HangUp) {
  if (wasAtTerminal && !(isAtTerminal && hasTls)) return 'stop'
  return hasTls ? 'reload' : 'nothing'
}

/**
 * SIGTERM and SIGINT drain; a second one while it does ends the process: the journal is safe. SIGHUP
 * reloads, stops or does nothing (docs/install.md, "Signals").
 */
export function obeySignals(program: Program, hasTls: boolean, log: Logger): void {
  let isDraining = false
  const drain = (signal: NodeJS.Signals) => {
    isDraining = true
    log.info({ signal }, 'draining')
    program.drain().then(
      () => {
        log.info({ ...program.kept() }, 'stopped')
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
  // By default Node opens a debugger, which needs no more than a connection of any user of the machine.
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
 * Keeps a service that only begins from ending at a SIGHUP: whoever manages it sends one when a certificate
 * is new, and takes that end for one that was wanted. A terminal that closes ends it as ever.
 */
export function beginThroughHangUp(): void {
  if (isAtTerminal()) return
  process.on('SIGHUP', () => {
    wasHungUp = true
  })
}

/**
 * Has SIGTERM and SIGINT end the first process of a container too, as long as nothing else handles them:
 * a service that begins, a command.
 */
export function endAsFirst(): void {
  if (process.pid !== FIRST_PID) return
  for (const name of ['SIGTERM', 'SIGINT'] as const)
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(EXIT_SIGNAL + os.constants.signals[name])
    })
}

/** Ends in order when the process that started this one over a channel is gone (bin/mintfeed.js). */
export function endWithParent(): void {
  if (!process.connected) return
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  // A command that is done need not wait for it.
  process.channel?.unref()
}

/** A terminal that is gone is none any more. */
function isAtTerminal(): boolean {
  return STANDARD_STREAMS.some((stream) => isatty(stream))
}
