/**
 * Plants bugs one at a time in copies of the source and looks whether the tests notice
 * (`npm run mutants`). Words after the command choose the faults whose names contain one of them.
 * Exits 1 when a fault survived, 2 when it could not run.
 */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Fault } from './fault.ts'
import { FAULTS } from './faults.ts'
import { planted, Workshop } from './workshop.ts'

const WORKERS = 2

interface Verdict {
  readonly survived: boolean
  readonly line: string
}

/** Runs `work` on every item in every workshop that is free. */
async function share<T>(
  workshops: readonly Workshop[],
  items: readonly T[],
  work: (workshop: Workshop, item: T) => Promise<void>,
): Promise<void> {
  const left = [...items]
  const run = async (workshop: Workshop) => {
    for (let item = left.shift(); item !== undefined; item = left.shift())
      await work(workshop, item)
  }
  await Promise.all(workshops.map(run))
}

async function verdictOf(workshop: Workshop, fault: Fault): Promise<Verdict> {
  const start = performance.now()
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`
  return workshop.withFault(fault, async () => {
    for (const check of fault.tests) {
      const { passed, timedOut } = await workshop.check(check)
      if (passed) continue
      const how = timedOut ? ', by timeout' : ''
      return { survived: false, line: `caught    ${fault.name} (${check}, ${seconds()}${how})` }
    }
    return { survived: true, line: `SURVIVED  ${fault.name} (${seconds()})` }
  })
}

/** Every find must stand once, and every check must pass on the source as it is. */
async function prove(workshops: readonly Workshop[], faults: readonly Fault[]): Promise<void> {
  for (const fault of faults)
    planted(await readFile(join(workshops[0].folder, fault.file), 'utf8'), fault)
  const checks = new Set(faults.flatMap(({ tests }) => tests))
  await share(workshops, [...checks], async (workshop, check) => {
    const { passed, output } = await workshop.check(check)
    if (!passed) throw new Error(`${check} fails without a fault:\n${output}`)
  })
}

async function judge(workshops: readonly Workshop[], faults: readonly Fault[]): Promise<number> {
  let survived = 0
  await share(workshops, faults, async (workshop, fault) => {
    const verdict = await verdictOf(workshop, fault)
    if (verdict.survived) survived += 1
    console.log(verdict.line)
  })
  return survived
}

async function main(words: readonly string[]): Promise<number> {
  const root = resolve(import.meta.dirname, '../..')
  const wanted = ({ name }: Fault) => words.some((word) => name.includes(word))
  const faults = words.length === 0 ? FAULTS : FAULTS.filter(wanted)
  const start = performance.now()
  const workshops = [await Workshop.open(root, root)]
  try {
    // Copies of the first copy: the source may be worked on meanwhile.
    while (workshops.length < WORKERS)
      workshops.push(await Workshop.open(root, workshops[0].folder))
    await prove(workshops, faults)
    const survived = await judge(workshops, faults)
    const seconds = Math.round((performance.now() - start) / 1000)
    console.log(`${faults.length - survived} caught, ${survived} survived in ${seconds} s`)
    return survived > 0 ? 1 : 0
  } finally {
    for (const workshop of workshops) await workshop.close()
  }
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  return 2
})
