import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/base/config.ts'
import { usageText } from '../../src/cli/usage.ts'
import { ROOT } from '../tidy/source-files.ts'

/** The sentence about an unknown flag names every flag there is. */
function settings(): readonly string[] {
  try {
    readConfig(['--nonsense'], {})
  } catch (error) {
    const flags = String(error).matchAll(/ --([a-z-]+)/g)
    return [...flags].map(([, flag]) => flag.toUpperCase().replaceAll('-', '_'))
  }
  return []
}

test('every setting is in the documents that --help names', () => {
  const named = [...usageText([]).matchAll(/\S+\.md/g)].map(([file]) => file.replace(/[,.]$/, ''))
  expect(named).toContain('docs/operations.md')
  const texts = named.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n')
  const all = settings()
  expect(all).toContain('PORT')
  expect(all.filter((name) => !new RegExp(`\\b${name}\\b`).test(texts))).toEqual([])
})
