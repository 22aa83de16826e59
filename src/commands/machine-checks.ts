import os from 'node:os'
import { systemText } from '../base/this-process.ts'
import { bad, type Finding, good, warn } from './verdict.ts'

const MEBIBYTE = 2 ** 20
/** What the process needs beside the history it keeps in memory. */
const MEMORY_BESIDE_BYTES = 512 * MEBIBYTE
/** Clients that come back at once after a restart wait here to be accepted. */
const BACKLOG_WANTED = 1024
/** Before this the clock was never set. */
const BUILT_AT_MS = Date.UTC(2025, 0, 1)
const NODE_MAJOR = 22

/** Which Node runs: the sockets' binaries are made for one major version. */
export function checkNode(version: string): Finding {
  const major = Number(version.slice(1).split('.')[0])
  if (major === NODE_MAJOR) return good('node', `${version} runs.`)
  return bad('node', `${version} runs, but ${NODE_MAJOR} is wanted: start it with make or bin/.`)
}

/** Descriptors for the sockets that are allowed; `reserved` are those for anything else. */
export function checkDescriptors(limit: number, sockets: number, reserved: number): Finding {
  if (limit >= sockets + reserved) return good('open files', `${limit} are allowed.`)
  if (limit < 4 * reserved)
    return bad('open files', `Only ${limit} are allowed: set LimitNOFILE or ulimit -n to 65536.`)
  return warn(
    'open files',
    `${limit} are allowed, so ${limit - reserved} sockets and not SOCKETS=${sockets}: raise ` +
      `LimitNOFILE or ulimit -n to ${sockets + reserved}, or lower SOCKETS.`,
  )
}

/** Memory for what TAPE_MEMORY and POSITIONS_MEMORY keep, `keptBytes` together, and for everything else. */
export function checkMemory(keptBytes: number): Finding {
  const constrained = process.constrainedMemory()
  const total = constrained > 0 ? Math.min(constrained, os.totalmem()) : os.totalmem()
  const all = Math.round(total / MEBIBYTE)
  // The compactor holds a second copy of the state.
  const wanted = Math.round((2 * keptBytes + MEMORY_BESIDE_BYTES) / MEBIBYTE)
  if (all >= wanted) return good('memory', `${all} MiB are there.`)
  return warn(
    'memory',
    `${all} MiB are there; with TAPE_MEMORY and POSITIONS_MEMORY as they are a large market takes up to ` +
      `${wanted} MiB while a snapshot is made: lower them.`,
  )
}

/** The machine's clock, against the newest file that it has dated itself. */
export function checkClock(nowMs: number, newestFileMs: number | null): Finding {
  const now = new Date(nowMs).toISOString()
  if (nowMs < BUILT_AT_MS) return bad('clock', `It says ${now}: set it, and keep it by NTP.`)
  if (newestFileMs !== null && newestFileMs > nowMs)
    return warn(
      'clock',
      `It says ${now}, but DATA_DIR was written at ${new Date(newestFileMs).toISOString()}: ` +
        'it was set back, or is wrong; keep it by NTP.',
    )
  return good('clock', `It says ${now}; see that NTP keeps it.`)
}

/** How many connections may wait to be accepted. */
export function checkBacklog(): Finding {
  const text = systemText('/proc/sys/net/core/somaxconn').trim()
  if (text === '' || Number(text) >= BACKLOG_WANTED)
    return good('backlog', `${text || 'Unknown here; it'} is enough.`)
  return warn('backlog', `${text} is small: sysctl net.core.somaxconn=4096.`)
}
