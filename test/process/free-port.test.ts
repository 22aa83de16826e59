import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { freePort, listening } from './free-port.ts'

const PORTS = 100
const OTHERS = 500

test('a port that is free beforehand is given to nobody who asks for any, however many do', async () => {
  const free = new Set<number>()
  while (free.size < PORTS) free.add(await freePort())
  const taken: number[] = []
  for (let i = 0; i < OTHERS; i++) {
    const other = createServer()
    onTestFinished(() => void other.close())
    taken.push(await listening(other))
  }
  expect(taken.filter((port) => free.has(port))).toEqual([])
})

test('a port that somebody listens on is none that is free', async () => {
  const other = createServer()
  onTestFinished(() => void other.close())
  const next = (await freePort()) + 1
  // Where it cannot be had, somebody has it already.
  await new Promise((resolve) => {
    other.once('listening', resolve).once('error', resolve).listen(next, '127.0.0.1')
  })
  expect(await freePort()).not.toBe(next)
})
