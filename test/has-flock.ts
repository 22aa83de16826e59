import { spawnSync } from 'node:child_process'

/** The kernel's lock of a folder is taken by a program of the system. */
export const hasFlock = spawnSync('flock', ['--version']).error === undefined
if (!hasFlock) console.log('There is no flock here: tests of the kernel locks are skipped.')
