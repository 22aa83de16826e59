#!/usr/bin/env node
// Runs the program on the Node that came with the packages, whatever Node started this file.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { programPath } from './program-path.js'

const node = createRequire(import.meta.url).resolve('node/bin/node')
// As packaging/ sets it: malloc then gives big buffers back when they go (docs/operations.md, "Tuning the system").
const allocator = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}
const env = { ...allocator, ...process.env }
const child = spawn(node, [programPath(), ...process.argv.slice(2)], { stdio: 'inherit', env })
process.on('SIGTERM', () => child.kill('SIGTERM'))
// A terminal tells both processes; told twice, the program would take it for a second Ctrl-C.
process.on('SIGINT', () => {})
child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1))
