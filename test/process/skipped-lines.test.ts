import { expect, test } from 'vitest'
import { REPORTED_LINES_MAX } from '../../src/feeds/lines/line-report.ts'
import { get } from '../crash/http.ts'
import { partOf } from './data-folders.ts'
import { startProgram, until } from './program.ts'

const LINES = REPORTED_LINES_MAX + 5

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
    const told = await program.seen(/"msg":"more lines skipped/)
    expect(['feed', 'lines', 'line'].map((part) => partOf(told, part))).toEqual(['stdin', 5, LINES])
    await program.end('SIGTERM')
  },
)
