import { spawnSync } from 'node:child_process'
import os from 'node:os'

/** The highest that is not real-time: of a real-time process the kernel takes 50 ms of a second away. */
const LOOP_NICENESS = '-20'
/** Real-time: the client works a tenth of the time, and is late by itself behind anybody else. */
const CLIENT_PRIORITY = '22'

/**
 * Who runs where, so that a table shows the service and not a fight for the processor: the service has
 * a core of its own; attacker and the client that behaves share the other, and the client goes first.
 * The service's loop goes before the threads on which V8 compiles: on one core, with one priority,
 * they held it up for 10 to 20 ms at a time, with or without an attack.
 */
export function takePlaces(pids: {
  readonly service: number
  readonly client: number
  readonly attacker: number
}): boolean {
  // Not those this process may use: that is one after the first attack.
  if (os.cpus().length < 2) return false
  const done = [
    run('taskset', ['-acp', '0', String(pids.service)]),
    run('taskset', ['-acp', '1', String(pids.attacker)]),
    run('taskset', ['-acp', '1', String(pids.client)]),
    run('renice', ['-n', LOOP_NICENESS, '-p', String(pids.service)]),
    run('chrt', ['-a', '-r', '-p', CLIENT_PRIORITY, String(pids.client)]),
    run('chrt', ['-a', '-o', '-p', '0', String(pids.attacker)]),
  ]
  return done.every((isDone) => isDone)
}

/** Binds a process to one core; false where the machine does not allow it. */
export function pinTo(core: number, pid: number): boolean {
  return os.cpus().length > core && run('taskset', ['-acp', String(core), String(pid)])
}

/** A tool of util-linux; false where it is missing or not allowed. */
function run(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}
