import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { programPath } from '../../bin/program-path.js'

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
  const silent = createServer(() => process.kill(onlyChildOf(child.pid ?? 0), signal))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void silent.close())
  const address = silent.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const [unshare, ...words] = AS_FIRST
  const child = spawn(unshare, [...words, process.execPath, programPath(), 'doctor'], {
    env: {
      FEED: 'solana',
      SOLANA_RPC_URL: `http://127.0.0.1:${port}`,
      DATA_DIR: 'none',
      PORT: '0',
    },
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  expect(await once(child, 'exit')).toEqual([code, null])
})

/** Pid of the process that `unshare` has begun. */
function onlyChildOf(pid: number): number {
  return Number(fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1'))
}
