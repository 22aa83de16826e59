import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { programPath } from '../../bin/program-path.js'
import { newFolder } from '../new-folder.ts'
import { listening } from './free-port.ts'
import { startProgram } from './program.ts'

/** Has what follows be the first process of a namespace, as the image has the program. */
const AS_FIRST = ['unshare', '--map-root-user', '--pid', '--fork', '--kill-child']
const hasNamespaces = spawnSync(AS_FIRST[0], [...AS_FIRST.slice(1), 'true']).status === 0
if (!hasNamespaces)
  console.log('Nothing may be unshared here: the test of a first process is skipped.')

test.skipIf(!hasNamespaces).each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s ends a command that is the first process of a container', async (signal, code) => {
  // It answers nothing: the doctor waits for it.
  const silent = createServer()
  // Once: behind the first it may be gone, and its number that of all processes of the tests.
  silent.once('connection', () => process.kill(onlyChildOf(child.pid ?? 0), signal))
  onTestFinished(() => void silent.close())
  const [unshare, ...words] = AS_FIRST
  const child = spawn(unshare, [...words, process.execPath, programPath(), 'doctor'], {
    env: {
      FEED: 'solana',
      SOLANA_RPC_URL: `http://127.0.0.1:${await listening(silent)}`,
      DATA_DIR: 'none',
      PORT: '0',
    },
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  expect(await once(child, 'exit')).toEqual([code, null])
})

test('SIGHUP ends no service that has only begun: it reads its files anyway', async () => {
  const module = join(newFolder(), 'early.mjs')
  // The arguments are the first that a start looks at; then it waits for its modules.
  fs.writeFileSync(
    module,
    `process.argv.slice = (from) => {
       queueMicrotask(() => process.kill(process.pid, 'SIGHUP'))
       return Array.from(process.argv).slice(from)
     }`,
  )
  const program = await startProgram({ FEED: 'none', NODE_OPTIONS: `--import=${module}` })
  expect((await fetch(`${program.url}/healthz`)).status).toBe(200)
  expect(await program.end('SIGTERM')).toBe(0)
})

/** Pid of the process that `unshare` has begun. */
function onlyChildOf(pid: number): number {
  return Number(fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1'))
}
