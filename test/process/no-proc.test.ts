import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { programPath } from '../../bin/program-path.js'
import { figuresOf, get } from '../crash/http.ts'
import { newFolder } from '../new-folder.ts'
import { freePort } from './free-port.ts'
import { until } from './program.ts'

const TEST_MS = 120_000
/** Hides /proc from the program alone; needs root. */
const HIDDEN = 'mount -t tmpfs none /proc && exec "$0" "$1"'

const isRoot = process.getuid?.() === 0

test.skipIf(!isRoot || process.platform !== 'linux')(
  'without /proc snapshots are made, and the program tells how it is',
  async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const settings = { FEED: 'sim', SIM_TOKENS: '20', SNAPSHOT_EVERY: '300ms' }
    const child = spawn('unshare', ['-m', 'sh', '-c', HIDDEN, process.execPath, programPath()], {
      env: { PATH: process.env.PATH ?? '', PORT: String(port), DATA_DIR: newFolder(), ...settings },
      stdio: 'ignore',
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'exit')
    const isServing = () => get(`${url}/healthz`).catch(() => null)
    await until('it serves', isServing)
    const isReady = async () => ((await get(`${url}/readyz`)).status === 503 ? null : true)
    await until('it is ready, or has failed', isReady)
    expect((await get(`${url}/readyz`)).status).toBe(200)
    expect((await get(`${url}/metrics`)).text).toMatch(/^mintfeed_rss_bytes [1-9]\d*$/m)
    const looked = await until('a snapshot, or none', async () => {
      const figures = await figuresOf(url)
      const { snapshot_seq = 0, snapshot_failures_total = 0 } = figures
      return snapshot_seq + snapshot_failures_total > 0 ? figures : null
    })
    expect(looked).toMatchObject({ snapshot_failures_total: 0 })
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  },
  TEST_MS,
)
