import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../new-folder.ts'
import { ROOT } from '../tidy/source-files.ts'
import { partOf } from './data-folders.ts'
import { launch, startProgram } from './program.ts'

const FAULTY = join(ROOT, 'test/process/faulty-program.ts')
const line = (mint: string) => `{"type":"metadata","timestamp":1,"mint":"${mint}","image":"x"}\n`

test('a fault of the program ends the intake and says so, a start that meets it again says what to do, and a version without it goes on', async () => {
  const settings = { FEED: 'stdin', PORT: '0', DATA_DIR: newFolder(), RATE_LIMIT: 'off' }
  const first = launch(settings, [], ROOT, FAULTY)
  const url = partOf(await first.seen(/"msg":"ready"/), 'url')
  first.child.stdin?.write(line('good') + line('poison') + line('later'))
  const failed = await first.seen(/"msg":"feed failed"/)
  expect(failed).toContain('faulty-program.ts')
  expect(partOf(await first.seen(/no more events are taken/), 'reason')).toContain('planted fault')

  const ready = await fetch(`${url}/readyz`)
  expect(ready.status).toBe(503)
  expect(JSON.stringify(await ready.json())).toContain('An event met a fault of this program')
  expect((await fetch(`${url}/api/v2/search/tokens/good/swaps`)).status).toBe(200)
  await first.end('SIGKILL')

  const second = launch(settings, [], ROOT, FAULTY)
  const sentence = await second.seen(/mintfeed: /)
  expect(sentence).toContain('RangeError: a planted fault')
  expect(sentence).toMatch(/mintfeed repair --until \d+\.$/)
  expect(await second.ended).toBe(3)

  const mended = await startProgram(settings)
  const figures: unknown = await (await fetch(`${mended.url}/readyz`)).json()
  expect(figures).toMatchObject({ status: 'ready', other_events_total: 3 })
  expect(await mended.end('SIGTERM')).toBe(0)
})

test('a feed that ends by a fault of its own is told where others look whether all is well', async () => {
  const settings = { FEED: `replay:${FAULTY}`, PORT: '0', DATA_DIR: 'none', RATE_LIMIT: 'off' }
  const program = launch(settings, [], ROOT, FAULTY)
  const url = partOf(await program.seen(/"msg":"ready"/), 'url')
  await program.seen(/"msg":"feed failed"/)
  const ready = await fetch(`${url}/readyz`)
  expect(ready.status).toBe(503)
  expect(await ready.json()).toMatchObject({
    reason: `The feed replay:faulty-program.ts has failed (TypeError: a planted fault).`,
  })
  expect(await program.end('SIGTERM')).toBe(0)
})
