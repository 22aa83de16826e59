import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Program, startProgram } from '../process/program.ts'
import { fuzzFrames } from './frame-fuzz.ts'
import { fuzzHttp } from './http-fuzz.ts'
import { DEFECT } from './target.ts'

/** Small numbers of what `make fuzz` does at length. */
const REQUESTS = 400
const CONNECTIONS = 100
const SEED = 20_261_121

let program: Program
let port = 0
beforeAll(async () => {
  program = await startProgram({ SIM_TOKENS: '100', RATE_LIMIT: 'off', BODY_TIMEOUT: '200ms' })
  port = Number(new URL(program.url).port)
})
afterAll(() => program.end('SIGKILL'))

const figure = async (name: string) => {
  const text = await (await fetch(`${program.url}/metrics`)).text()
  const line = text.split('\n').find((candidate) => candidate.startsWith(`mintfeed_${name} `))
  return Number(line?.split(' ').at(-1))
}

const defects = () => program.lines.filter((line) => DEFECT.test(line))

test('requests of any kind, however their client behaves, get no 5xx and end nothing', async () => {
  const [one, two] = await Promise.all(
    [SEED, SEED + 1].map((seed) => fuzzHttp(port, seed, REQUESTS)),
  )
  for (const statuses of [one, two]) {
    expect(statuses.get('200')).toBeGreaterThan(REQUESTS / 20)
    expect(statuses.get('400')).toBeGreaterThan(REQUESTS / 20)
  }
  expect((await fetch(`${program.url}/healthz`)).status).toBe(200)
  expect(defects()).toEqual([])
})

test('frames of any kind end nothing, and no socket is left behind', async () => {
  await fuzzFrames(port, SEED, CONNECTIONS)
  expect((await fetch(`${program.url}/healthz`)).status).toBe(200)
  await expect.poll(() => figure('live_connections'), { timeout: 10_000 }).toBe(0)
  // fetch keeps one connection of its own, or two.
  await expect.poll(() => figure('sockets'), { timeout: 20_000 }).toBeLessThanOrEqual(3)
  expect(defects()).toEqual([])
})
