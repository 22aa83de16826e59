import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Market } from '../../../src/config/source-settings.ts'
import { dataPath } from '../../../src/store/folder/data-folder.ts'
import {
  isSimulatedFolder,
  markMarket,
  otherMarket,
  unknownMarket,
} from '../../../src/store/folder/market-mark.ts'
import { newFolder } from '../../new-folder.ts'

const MARKETS: readonly (Market | null)[] = ['simulated', 'chain', null]
/** What the file may hold: each of both, something else, nothing, and no file. */
const HELD = ['simulated\n', 'chain\n', 'chain', 'news\n', '', null] as const
const FILES = [[], ['segment'], ['snapshot'], ['segment', 'snapshot']] as const

/** Every folder there may be, and every market that may go into it. */
function* cases() {
  for (const market of MARKETS)
    for (const text of HELD)
      for (const kinds of FILES) {
        const folder = newFolder()
        if (text !== null) fs.writeFileSync(join(folder, 'market'), text)
        for (const kind of kinds) fs.writeFileSync(dataPath(folder, kind, 1), '')
        const name = text?.trim() ?? ''
        const held = name === 'simulated' || name === 'chain' ? name : null
        const said = `${market} into ${text}, ${kinds.length} files`
        yield { market, folder, text, held, hasEvents: kinds.length > 0, said }
      }
}

test('a folder refuses the other market than the one it says it holds, and no other', () => {
  for (const { market, folder, held, said } of cases()) {
    const isOther = market !== null && held !== null && market !== held
    expect(otherMarket(folder, market) !== null, said).toBe(isOther)
    if (isOther) expect(otherMarket(folder, market), said).toContain(`${folder} holds `)
    expect(isSimulatedFolder(folder), said).toBe(held === 'simulated')
  }
})

test('a folder says its market from the first feed of one on; what was in it before is warned of', () => {
  for (const { market, folder, text, held, hasEvents, said } of cases()) {
    const isFirst = market !== null && held === null
    expect(unknownMarket(folder, market) !== null, said).toBe(isFirst && hasEvents)
    const before = fs.readdirSync(folder)
    const warnings: string[] = []
    markMarket(folder, market, (sentence) => warnings.push(sentence))
    expect(warnings, said).toHaveLength(isFirst && hasEvents ? 1 : 0)
    if (market === null || market === held) {
      expect(fs.readdirSync(folder), said).toEqual(before)
      if (text !== null) expect(fs.readFileSync(join(folder, 'market'), 'utf8'), said).toBe(text)
      continue
    }
    expect(fs.readFileSync(join(folder, 'market'), 'utf8'), said).toBe(`${market}\n`)
    markMarket(folder, market, (sentence) => warnings.push(sentence))
    expect(warnings, said).toHaveLength(isFirst && hasEvents ? 1 : 0)
    for (const name of fs.readdirSync(folder)) expect(['market', ...before], said).toContain(name)
  }
})

test('of a folder whose word cannot be read nobody says that its market is simulated', () => {
  const folder = newFolder()
  fs.mkdirSync(join(folder, 'market'))
  expect(isSimulatedFolder(folder)).toBe(false)
  expect(() => otherMarket(folder, 'chain')).toThrow('EISDIR')
})
