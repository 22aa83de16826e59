import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { usageText } from '../../src/cli/command-line.ts'
import { SETTING_NAMES } from '../../src/config/config.ts'
import { SETTING_GROUPS, settingsMarkdown } from '../../src/config/setting-texts.ts'
import { ROOT } from '../tidy/source-files.ts'

test('docs/settings.md is what is made of the settings', () => {
  const text = readFileSync(join(ROOT, 'docs/settings.md'), 'utf8')
  expect(text, 'npm run settings').toBe(settingsMarkdown())
})

test('every setting is told once, with a unit or values and one sentence', () => {
  const texts = Object.values(SETTING_GROUPS).flatMap((group) => Object.entries(group))
  expect(texts.map(([name]) => name).sort()).toEqual([...SETTING_NAMES].sort())
  for (const [name, [unit, sentence]] of texts) {
    expect(sentence, name).toMatch(/^(\S.{8,119}\.)$/)
    expect(unit, name).not.toBe('')
    expect(`${sentence}${unit}`, name).not.toContain('|')
  }
})

test('help has the default, the unit and the sentence of every setting, in lines that fit a terminal', () => {
  const help = usageText([])
  const words = help.replaceAll(/\s+/g, ' ')
  for (const row of settingsMarkdown().matchAll(/^\| `([A-Z_]+)` \| (.+) \| (.*) \| (.+) \|$/gm)) {
    const [name, told, unit, sentence] = row.slice(1).map((cell) => cell.replaceAll('`', ''))
    expect(words).toContain(`${name} ${told} [${unit}] ${sentence}`)
  }
  expect(help.split('\n').filter((line) => line.length > 110)).toEqual([])
})
