import { expect, test } from 'vitest'
import { startProgram } from './program.ts'

test('what describes the API and what describes the live feed are each at their place', async () => {
  const program = await startProgram({ FEED: 'none' })
  for (const name of ['openapi', 'asyncapi'])
    expect(await (await fetch(`${program.url}/${name}.json`)).json()).toHaveProperty(name)
  expect(await program.end('SIGTERM')).toBe(0)
})
