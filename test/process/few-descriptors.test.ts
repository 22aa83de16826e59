import { spawn } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { programPath } from '../../bin/program-path.js'
import { figuresOf } from '../crash/http.ts'
import { filesOf } from '../data-files.ts'
import { newFolder } from '../new-folder.ts'
import { freePort } from './free-port.ts'
import { until } from './program.ts'

const DESCRIPTORS = 256
/** How often a segment of the journal is begun while the crowd is there. */
const SEGMENTS = 3
const TEST_MS = 120_000

test.skipIf(process.platform !== 'linux')(
  'a crowd of sockets leaves the journal its files, however few the process may open',
  async () => {
    const folder = newFolder()
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const errors = startWithFew({
      ...{ FEED: 'sim', SIM_TOKENS: '20', SIM_RATE: '100', SNAPSHOT_EVERY: '300ms' },
      ...{ PORT: String(port), DATA_DIR: folder },
    })
    await until('it serves', () => figuresOf(url).catch(() => null))
    const crowd = await openSockets(port, DESCRIPTORS)
    const begun = newestSegment(folder)
    await until('segments are begun, or not any more', async () => {
      const isEnough = newestSegment(folder) >= begun + SEGMENTS
      return isEnough || errors().length > 0 ? true : null
    })
    expect(errors()).toEqual([])
    for (const socket of crowd) socket.destroy()
    const figures = await until('somebody is let in again', () => figuresOf(url).catch(() => null))
    expect(figures).toMatchObject({ httpStatus: 200, journal_failed: 0 })
  },
  TEST_MS,
)

/** Starts the program so that it may open so few files; the answer tells the errors in its log. */
function startWithFew(env: Readonly<Record<string, string>>): () => readonly string[] {
  const command = `ulimit -n ${DESCRIPTORS} && exec "$0" "$1"`
  const child = spawn('sh', ['-c', command, process.execPath, programPath()], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const errors: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (!/"level":[1-4]0/.test(line)) errors.push(line)
  })
  return () => errors
}

/** Sockets that are connected, each with half a request. */
async function openSockets(port: number, count: number): Promise<Socket[]> {
  const opening = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    socket.write('GET /healthz HTTP/1.1\r\n')
    return new Promise<Socket>((resolve) => socket.once('connect', () => resolve(socket)))
  })
  return Promise.all(opening)
}

function newestSegment(folder: string): number {
  const numbers = filesOf(folder, 'journal-').map((path) => Number(/(\d+)\.mfj$/.exec(path)?.[1]))
  return Math.max(0, ...numbers)
}
