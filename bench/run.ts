/**
 * `npm run bench` runs every benchmark, each in a process of its own; `node bench/run.ts fold`
 * runs one. Everything ends by itself and stays on the loopback interface.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { publish, type Report, readConditions } from './report.ts'

const BENCHMARKS: Readonly<Record<string, () => Promise<{ run: () => Promise<Report> }>>> = {
  fold: () => import('./fold.ts'),
  profile: () => import('./profile.ts'),
  journal: () => import('./journal.ts'),
  restart: () => import('./restart.ts'),
  pause: () => import('./pause.ts'),
  memory: () => import('./memory.ts'),
  parts: () => import('./parts.ts'),
  tables: () => import('./tables.ts'),
  fanout: () => import('./fanout.ts'),
}

/** A benchmark that takes longer is ended. */
const PATIENCE_MS = 400_000

const HERE = fileURLToPath(import.meta.url)

async function runOne(name: string): Promise<void> {
  const conditions = readConditions()
  const { run } = await BENCHMARKS[name]()
  publish(await run(), conditions)
}

function runAll(): void {
  for (const name of Object.keys(BENCHMARKS)) {
    const { status } = spawnSync(process.execPath, ['--expose-gc', HERE, name], {
      stdio: 'inherit',
      timeout: PATIENCE_MS,
    })
    if (status !== 0) process.exitCode = 1
  }
}

// An exit by signal would leave processes behind that were started.
process.once('SIGTERM', () => process.exit(1))
process.once('SIGINT', () => process.exit(1))

const wanted = process.argv[2]
if (wanted === undefined) runAll()
else if (Object.hasOwn(BENCHMARKS, wanted)) await runOne(wanted)
else {
  process.stderr.write(`bench: "${wanted}" must be ${Object.keys(BENCHMARKS).join(', ')}\n`)
  process.exitCode = 2
}
