/**
 * Plain script, exits 1 at the first difference between the source and what it should answer.
 *
 *   node test/mutants/killer.ts model [first seed] [last seed]
 *   node test/mutants/killer.ts <name of a file in cases/>
 */
import type { Case } from './check.ts'
import { runModel } from './model.ts'

const FIRST_SEED = 1
const LAST_SEED = 60

async function casesOf(name: string): Promise<readonly Case[]> {
  const file: { cases: readonly Case[] } = await import(`./cases/${name}.ts`)
  return file.cases
}

function modelCases(first: number, last: number): Case[] {
  const seeds = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  return seeds.map((seed) => ({ name: `model ${seed}`, run: () => runModel(seed) }))
}

const [what = 'model', first = FIRST_SEED, last = LAST_SEED] = process.argv.slice(2)
const cases = what === 'model' ? modelCases(Number(first), Number(last)) : await casesOf(what)
for (const { name, run } of cases) {
  const found = run()
  if (found === null) continue
  console.error(`${name}: ${found}`)
  process.exit(1)
}
console.log(`${what}: ${cases.length} passed`)
