import { expect, onTestFinished, test } from 'vitest'
import { fakeReads, startFake } from '../fake-service.ts'

test('a mint whose holders over time are not told is not called unknown', async () => {
  const known = { name: 'Known', symbol: 'K', priceUsd: 1 }
  const fake = await startFake({
    reads: { ...fakeReads, symbol: (mint) => (mint === 'known' ? known : null) },
  })
  onTestFinished(() => fake.server.stop())
  const messageOf = async (mint: string) => {
    const answer = await fetch(
      `${fake.server.url}/api/v2/tokens/${mint}/holders/history?resolution=1S`,
    )
    expect(answer.status).toBe(404)
    const { message } = Object(await answer.json())
    return message
  }
  expect(await messageOf('known')).toBe(
    'The mint "known" has more trades than its holders are told of.',
  )
  expect(await messageOf('unknown')).toBe('The mint "unknown" is not known.')
})
