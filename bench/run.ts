/**
 * `make bench` measures S1 to S13, each in a process of its own, and prints them as one table;
 * `make bench ONLY=S1,S5` measures some. Everything ends by itself and stays on the loopback
 * interface. See README.md beside this file.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { NODE_FLAGS } from '../bin/node-flags.js'
import { messageOf } from '../src/base/errors.ts'
import { plainFields } from './child.ts'
import { OthersWatch } from './conditions.ts'
import { cellsOf, conditionsText, tableText } from './result-table.ts'
import { keepResult, type RowResult } from './results.ts'
import { EXTRAS, ROWS } from './rows.ts'

/** A row that takes longer is ended. */
const PATIENCE_MS = 400_000
const ROW_PROCESS = fileURLToPath(new URL('./row-process.ts', import.meta.url))

async function measure(name: string): Promise<RowResult> {
  const watch = new OthersWatch()
  const startMs = performance.now()
  const child = fork(ROW_PROCESS, [name], {
    execArgv: [...NODE_FLAGS, '--expose-gc', '--disable-warning=ExperimentalWarning'],
  })
  const timer = setTimeout(() => child.kill('SIGTERM'), PATIENCE_MS)
  let result: string | undefined
  child.on('message', (message) => {
    result = String(plainFields(message).result)
  })
  await once(child, 'exit')
  clearTimeout(timer)
  if (result === undefined) throw new Error(`${name} gave no result`)
  const { conditions, lines }: Pick<RowResult, 'conditions' | 'lines'> = JSON.parse(result)
  const seconds = (performance.now() - startMs) / 1000
  return { conditions, seconds, othersPercent: watch.percent(), lines }
}

async function run(names: readonly string[]): Promise<void> {
  const startMs = performance.now()
  const cells: string[][] = []
  const notes: string[] = []
  for (const name of names) {
    process.stderr.write(`bench: ${name} …\n`)
    try {
      const result = await measure(name)
      keepResult(name, result)
      const own = cellsOf(name, result)
      process.stderr.write(`${tableText(own)}\n`)
      cells.push(...own)
      notes.push(`${name}: ${conditionsText(result)}`)
    } catch (error) {
      notes.push(`${name}: failed, ${messageOf(error)}`)
      process.exitCode = 1
    }
  }
  notes.push(`all: ${Math.round((performance.now() - startMs) / 1000)} s`)
  process.stdout.write(`\n${tableText(cells)}\n\n${notes.join('\n')}\n`)
}

const known = { ...ROWS, ...EXTRAS }
const only = (process.argv[2] ?? process.env.ONLY ?? '').split(',').filter((name) => name !== '')
const unknown = only.filter((name) => !Object.hasOwn(known, name))
if (unknown.length > 0) {
  process.stderr.write(`bench: "${unknown}" must be among ${Object.keys(known).join(', ')}\n`)
  process.exitCode = 2
} else await run(only.length > 0 ? only : Object.keys(ROWS))
