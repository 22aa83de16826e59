import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FAULTS } from '../mutants/faults.ts'
import { planted } from '../mutants/workshop.ts'
import { ROOT } from './source-files.ts'

test('every planted fault has its place in the source, and one only', () => {
  for (const fault of FAULTS) {
    const source = readFileSync(join(ROOT, fault.file), 'utf8')
    expect(planted(source, fault), fault.name).not.toBe(source)
  }
})

test('each planted fault has a name of its own', () => {
  const names = FAULTS.map(({ name }) => name)
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([])
})
