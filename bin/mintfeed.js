#!/usr/bin/env node
// Runs the program on the Node that came with the packages, whatever Node started this file.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const node = createRequire(import.meta.url).resolve('node/bin/node')
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' })
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1))
