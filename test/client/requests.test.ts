import { expect, onTestFinished, test, vi } from 'vitest'
import type { Follow } from '../../client/src/live/follow.ts'
import type { Acknowledgement } from '../../client/src/live/frames.ts'
import { Requests } from '../../client/src/live/requests.ts'
import { problem } from '../../client/src/problem.ts'

const WITHIN_MS = 1_000

/** One that says nothing of its own. */
function following(key: string): Follow {
  return {
    ...{ channel: 'update_mint_info', key, leaveWords: {} },
    words: () => ({ name: 'mint', from: null, snapshot: true, more: {} }),
    ...{ connected: () => {}, disconnected: () => {}, acknowledged: () => {}, refused: () => {} },
    ...{ resync: () => {}, take: () => {}, resume: () => {} },
  }
}

const BUSY = problem('busy', 'Try again in a second.')
const ANSWER: Acknowledgement = {
  ...{ kind: 'acknowledged', action: 'subscribe', channel: 'update_mint_info' },
  ...{ seqs: {}, seq: null, epoch: 'e1', table: null },
}

test('an answer is waited for from the answer before it on, where many were asked for at once', async () => {
  vi.useFakeTimers({ now: 0, toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const sent: string[] = []
  const requests = new Requests('a client', WITHIN_MS, (text) => sent.push(text))
  for (let mint = 0; mint < 12; mint += 1) requests.ask(following(`mint ${mint}`))
  await Promise.resolve()
  expect(sent).toHaveLength(3)
  const isOverdue = () => requests.isOverdue(performance.now())
  expect(isOverdue()).toBe(false)
  for (const answer of [() => requests.acknowledged(ANSWER), () => requests.refused(BUSY)]) {
    vi.advanceTimersByTime(WITHIN_MS)
    expect(isOverdue()).toBe(false)
    answer()
    // Another one's, which nobody waits for, is no answer.
    requests.acknowledged({ ...ANSWER, action: 'unsubscribe' })
  }
  vi.advanceTimersByTime(WITHIN_MS)
  expect(isOverdue()).toBe(false)
  requests.acknowledged({ ...ANSWER, channel: 'candles' })
  vi.advanceTimersByTime(1)
  expect(isOverdue()).toBe(true)
  requests.acknowledged(ANSWER)
  expect(isOverdue()).toBe(false)
  vi.advanceTimersByTime(10 * WITHIN_MS)
  expect(isOverdue()).toBe(false)
  requests.clear()
})
