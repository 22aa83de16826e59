import { expect, test } from 'vitest'
import { framesWithoutKeys } from '../../../src/feeds/raw-frames.ts'

test.each([
  ['{"jsonrpc":"2.0","result":"key true","id":1}', '{"jsonrpc":"2.0","result":"… …","id":1}'],
  ['{"errors":"key, a txType: true"}', '{"errors":"…, a txType: …"}'],
  ['key: not JSON', '…: not JSON'],
])('no key is left of the answer %s', (answer, shown) => {
  expect(recorded(answer)).toBe(shown)
})

test.each([
  '{"jsonrpc":"2.0","method":"logsNotification","params":{"result":{"slot":true}}}',
  '{"is_mayhem_mode":true,"txType":"create"}',
  '{\n  "txType" : "create",\n  "is_mayhem_mode" : true\n}',
  Buffer.from('{"key":true}'),
])('the frame of an event stays as it came: %s', (frame) => {
  expect(recorded(frame)).toBe(frame)
})

/** A frame as it is recorded of a feed that was asked with these. */
function recorded(frame: string | Uint8Array): unknown {
  const frames: unknown[] = []
  const raw = { frame: (feed: string, one: unknown) => void frames.push(feed, one) }
  framesWithoutKeys(raw, ['true', 'key']).frame('solana', frame)
  const [feed, shown] = frames
  expect(feed).toBe('solana')
  return shown
}
