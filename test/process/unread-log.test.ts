import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { programPath } from '../../bin/program-path.js'
import { get } from '../crash/http.ts'
import { newFolder } from '../new-folder.ts'
import { freePort } from './free-port.ts'
import { until } from './program.ts'

const TEST_MS = 60_000
const FULL_PIPE = Buffer.alloc(4_096, '.')

/** A pipe in which there is no room: the ends to read and to write. */
function fullPipe(): { readonly source: number; readonly sink: number } {
  const path = join(newFolder(), 'log')
  execFileSync('mkfifo', [path])
  const { O_RDONLY, O_WRONLY, O_NONBLOCK } = fs.constants
  // Opened twice: that the child's end waits is no matter of this one's.
  const source = fs.openSync(path, O_RDONLY | O_NONBLOCK)
  const sink = fs.openSync(path, O_WRONLY | O_NONBLOCK)
  onTestFinished(() => [source, sink].forEach(fs.closeSync))
  try {
    for (;;) fs.writeSync(sink, FULL_PIPE)
  } catch {
    return { source, sink }
  }
}

/** All that is in a pipe. */
function emptied(fd: number): string {
  const bytes = Buffer.alloc(FULL_PIPE.length)
  let text = ''
  try {
    for (;;) text += bytes.toString('latin1', 0, fs.readSync(fd, bytes))
  } catch {
    return text
  }
}

test.skipIf(process.platform === 'win32')(
  'a log that nobody reads holds nothing up, and is told when somebody does',
  async () => {
    const port = await freePort()
    const { source, sink } = fullPipe()
    const child = spawn(process.execPath, [programPath()], {
      env: { PATH: process.env.PATH ?? '', PORT: String(port), FEED: 'none', DATA_DIR: 'none' },
      stdio: ['ignore', 'ignore', sink],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'exit')
    const readyz = () => get(`http://127.0.0.1:${port}/readyz`).catch(() => null)
    await until('it is ready', async () => ((await readyz())?.status === 200 ? true : null))
    expect(emptied(source)).not.toContain('ready')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(emptied(source)).toMatch(
      /"msg":"ready"\}\n\{.*"msg":"draining"\}\n\{.*"msg":"stopped"\}\n$/,
    )
  },
  TEST_MS,
)
