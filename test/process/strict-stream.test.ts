import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../new-folder.ts'
import { strictReader } from '../server/strict-reader.ts'
import { ROOT } from '../tidy/source-files.ts'
import { freePort } from './free-port.ts'
import { launch, startProgram } from './program.ts'

const HELD_START = join(ROOT, 'test/process/held-program.ts')

test('an EventSource as the standard has it follows every launch over a kill and a long recovery', async () => {
  const settings = {
    ...{ PORT: String(await freePort()), DATA_DIR: newFolder(), SNAPSHOT_EVERY: '1h' },
    ...{ FEED: 'sim', SIM_TOKENS: '20', SIM_RATE: '200', LOG_LEVEL: 'info' },
  }
  const first = await startProgram(settings)
  onTestFinished(() => void first.end('SIGKILL'))
  const reader = strictReader(`${first.url}/api/v2/stream?channel=new_launched_pool`)
  onTestFinished(() => reader.stop())
  const seqs: number[] = []
  /** What happens until so many launches came, but for these. */
  const until = async (count: number) => {
    const others: string[] = []
    while (seqs.length < count) {
      const told = await reader.next()
      const [, seq] = /^message \S+\/(\d+)$/.exec(told) ?? []
      if (seq === undefined) others.push(told)
      else seqs.push(Number(seq))
    }
    return others
  }
  await until(3)
  await first.end('SIGKILL')
  const second = launch(settings, [], ROOT, HELD_START)
  onTestFinished(() => void second.end('SIGKILL'))
  let told = ''
  while (told !== 'open' && told !== 'ended') told = await reader.next()
  expect(told).toBe('open')
  expect(second.lines.join()).not.toContain('"msg":"recovered"')
  second.child.stdin?.write('\n')
  const before = seqs.length
  expect(await until(before + 3)).toEqual([])
  expect(seqs).toEqual(seqs.map((_, index) => seqs[0] + index))
  second.child.stdin?.write('\n')
})
