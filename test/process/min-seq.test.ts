import { expect, test } from 'vitest'
import { startProgram } from './program.ts'

const PATH = '/api/v2/search/tokens/detailed?query=a'
/** Swaps of half a second: on a busy machine more may come before the request does. */
const AHEAD = 100
const TRIES = 10

test('a read of a position that is still to come is answered by the batch that brings it', async () => {
  const program = await startProgram({ SIM_TOKENS: '20', SIM_RATE: '200', RATE_LIMIT: 'off' })
  const figures = async () => Object(await (await fetch(`${program.url}/readyz`)).json())
  const answered: number[] = []
  for (let tries = 0; tries < TRIES && answered.length === 0; tries++) {
    const told = await fetch(program.url + PATH)
    const seq = Number(told.headers.get('x-mintfeed-seq')) + AHEAD
    const minSeq = `${told.headers.get('x-mintfeed-epoch')}:${seq}`
    const { min_seq_waits_total: waits } = await figures()
    const answer = await fetch(program.url + PATH, { headers: { 'x-mintfeed-min-seq': minSeq } })
    const hasWaited = (await figures()).min_seq_waits_total > waits
    if (!hasWaited || answer.status !== 200) continue
    answered.push(Number(answer.headers.get('x-mintfeed-seq')) - seq)
  }
  expect(answered).toHaveLength(1)
  expect(answered[0]).toBeGreaterThanOrEqual(0)
  expect(await figures()).toMatchObject({ min_seq_waiting: 0 })
  expect(await program.end('SIGTERM')).toBe(0)
})
