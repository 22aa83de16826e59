#!/usr/bin/env node
// Runs the program on the Node that came with the packages, whatever Node started this file.
import { spawn, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { isatty } from 'node:tty'
import { NODE_FLAGS } from './node-flags.js'
import { programPath } from './program-path.js'

const node = ownNode()
const args = [...NODE_FLAGS, programPath(), ...process.argv.slice(2)]
// As packaging/ sets it: malloc then gives big buffers back when they go (docs/install.md, "Tuning the system").
const allocator = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}
const env = { ...allocator, ...process.env }

// The program takes this process over where that can be done (Node 22.15 and newer, not on Windows):
// then every signal is its own, and there is no second process that could be left behind.
const isReplaced = typeof process.execve === 'function' && process.platform !== 'win32'
if (isReplaced) process.execve(node, [node, ...args], env)

// By the channel the program learns that this process is gone, however it went.
const child = spawn(node, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env })
// A second SIGHUP does no harm; of the other two a terminal tells both processes, and told twice the
// program would take it for a second Ctrl-C.
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGUSR2']) process.on(signal, () => child.kill(signal))
const isAtTerminal = isatty(0)
for (const signal of ['SIGINT', 'SIGQUIT'])
  process.on(signal, () => isAtTerminal || child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1))

/** The Node of the packages; ends with one sentence where it cannot run: nothing can once it is to take over. */
function ownNode() {
  let path = ''
  try {
    path = createRequire(import.meta.url).resolve('node/bin/node')
  } catch {
    refuse(
      'The Node of the packages is not there: run "npm ci", or where npm runs no scripts of packages ' +
        '"npm rebuild node --ignore-scripts=false".',
    )
  }
  const { stdout, error, stderr } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  // Not by how it ended: a shell tries what the system cannot run, and may find nothing wrong with it.
  if (stdout?.startsWith('v')) return path
  const reason = error?.code ?? (stderr.trim().split('\n')[0] || 'it tells nothing')
  return refuse(
    `The Node of the packages does not run here (${reason}, ${path}): it wants the kind of processor it was ` +
      'installed on, glibc 2.28 or newer (Alpine has none), and a disk that programs may be run from.',
  )
}

function refuse(sentence) {
  process.stderr.write(`mintfeed: ${sentence}\n`)
  process.exit(1)
}
