import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shortenPoolSlices } from '../../../src/store/disk/kernel-calls.ts'
import { newFolder } from '../../new-folder.ts'
import { launch } from '../../process/program.ts'
import { ROOT } from '../../tidy/source-files.ts'

/** From this one on a thread may tell the kernel how long its slices are. */
const FIRST_KERNEL = [6, 12] as const

/** A thread of a process, as the kernel shows it. */
interface Thread {
  readonly name: string
  readonly sliceNs: number
  readonly priority: number
}

function threadsOf(pid: number | string): readonly Thread[] {
  return fs.readdirSync(`/proc/${pid}/task`).map((task) => {
    const shown = (file: string) => fs.readFileSync(`/proc/${pid}/task/${task}/${file}`, 'utf8')
    const field = (name: string) =>
      Number(new RegExp(`^${name}\\s*:\\s*(\\d+)$`, 'm').exec(shown('sched'))?.[1])
    return { name: shown('comm').trim(), sliceNs: field('se.slice'), priority: field('prio') }
  })
}

/** Why this machine shows nothing of slices; null: it does. */
function reason(): string | null {
  const [major, minor] = os.release().split('.').map(Number)
  const isOlder = major < FIRST_KERNEL[0] || (major === FIRST_KERNEL[0] && minor < FIRST_KERNEL[1])
  if (process.platform !== 'linux' || isOlder) return 'the kernel is none, or older than Linux 6.12'
  if (!['x64', 'arm64'].includes(process.arch)) return 'the processor is another one'
  if (!fs.existsSync('/proc/self/sched')) return 'the kernel does not show slices'
  return null
}

const WHY_NOT = reason()
if (WHY_NOT !== null) console.info(`skipped: slices of threads, as ${WHY_NOT}`)

const isOfPool = ({ name }: Thread) => name === 'libuv-worker'
const hasShort = ({ sliceNs }: Thread) => BigInt(sliceNs) === 100_000n

test.skipIf(WHY_NOT !== null)(
  'the threads of the pool get short slices, the others keep theirs, and all of them their priority',
  async () => {
    const shortened = await shortenPoolSlices()
    const threads = threadsOf('self')
    expect(shortened).toBe(threads.filter(isOfPool).length)
    const priorities = new Set(threads.map(({ priority }) => priority))
    expect(priorities.size).toBe(1)
    expect(threads.filter(isOfPool).length).toBeGreaterThanOrEqual(4)
    expect(threads.filter(hasShort)).toEqual(threads.filter(isOfPool))
  },
)

test.skipIf(WHY_NOT !== null)('one that was started nicer stays so', async () => {
  const module = join(ROOT, 'src/store/disk/kernel-calls.ts')
  const code = `
    const { shortenPoolSlices } = await import(${JSON.stringify(module)})
    console.log(await shortenPoolSlices())
    setInterval(() => {}, 1_000)
  `
  const args = ['-n', '7', process.execPath, '--input-type=module', '--eval', code]
  const child = spawn('nice', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await new Promise((seen) => child.stdout.once('data', seen))
    const own = threadsOf(child.pid ?? 0).filter(isOfPool)
    expect(own.filter(hasShort)).toHaveLength(4)
    expect(new Set(own.map(({ priority }) => priority))).toEqual(new Set([127]))
  } finally {
    child.kill('SIGKILL')
  }
})

test.skipIf(WHY_NOT !== null)('the program has them, once it has a journal', async () => {
  const settings = { PORT: '0', DATA_DIR: newFolder(), FEED: 'none' }
  const program = launch(settings, [], ROOT, join(ROOT, 'bin/mintfeed.js'))
  await program.seen(/"msg":"ready"/)
  const pool = threadsOf(program.child.pid ?? 0).filter(isOfPool)
  expect(pool.filter(hasShort)).toHaveLength(4)
  expect(await program.end('SIGTERM')).toBe(0)
})
