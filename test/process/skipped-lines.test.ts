import { expect, test } from 'vitest'
import { get } from '../crash/http.ts'
import { partOf } from './data-folders.ts'
import { startProgram, until } from './program.ts'

const LINES = 25

test.each(['the feed ends', 'the service is stopped'])(
  'of many lines that are skipped at once the last ones are summed up when %s',
  async (when) => {
    const program = await startProgram({ FEED: 'stdin' })
    program.child.stdin?.write('not a line\n'.repeat(LINES))
    await until('all lines', async () => {
      const { text } = await get(`${program.url}/readyz`)
      return partOf(text, 'feed_bad_lines_total') === LINES ? true : null
    })
    if (when === 'the feed ends') program.child.stdin?.end()
    else program.child.kill('SIGTERM')
    expect(program.lines.filter((line) => line.includes('"msg":"line skipped'))).toHaveLength(1)
    const told = await program.seen(/"msg":"more lines skipped/)
    expect(['feed', 'lines', 'line'].map((part) => partOf(told, part))).toEqual([
      'stdin',
      LINES - 1,
      LINES,
    ])
    await program.end('SIGTERM')
  },
)
