import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../tidy/source-files.ts'
import { partOf } from './data-folders.ts'
import { launch } from './program.ts'

const HELD = join(ROOT, 'test/process/held-replay-program.ts')

async function startHeld(SPEED: string) {
  const feed = { FEED: `replay:${HELD}`, SPEED }
  const program = launch(
    { ...feed, PORT: '0', DATA_DIR: 'none', RATE_LIMIT: 'off' },
    [],
    ROOT,
    HELD,
  )
  const url = partOf(await program.seen(/"msg":"ready"/), 'url')
  await program.seen(/"msg":"feed started"/)
  const ready = async () => {
    const answer = await fetch(`${url}/readyz`)
    return [answer.status, Object(await answer.json()).reason]
  }
  return { program, ready }
}

test('a replay at full speed holds readiness back until it is read', async () => {
  const { program, ready } = await startHeld('max')
  expect(await ready()).toEqual([503, 'A replay is still being read.'])
  program.child.stdin?.write('on')
  await program.seen(/"msg":"feed ended"/)
  expect((await ready())[0]).toBe(200)
  expect(await program.end('SIGTERM')).toBe(0)
})

test('a replay at the speed of then is ready as a live feed is', async () => {
  const { program, ready } = await startHeld('1')
  expect((await ready())[0]).toBe(200)
  expect(await program.end('SIGTERM')).toBe(0)
})
