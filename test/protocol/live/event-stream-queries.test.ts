import { expect, test } from 'vitest'
import { parseEventStream } from '../../../src/protocol/live/event-stream.ts'
import {
  COUNTBACK_DEFAULT,
  EPOCH_CHARACTERS_MAX,
} from '../../../src/protocol/live/live-messages.ts'
import { BARS_MAX } from '../../../src/protocol/queries.ts'
import { parseQueryString } from '../../../src/protocol/requests/parsers.ts'

/** What a query asks for, as a value. */
function asked(query: string, lastEventId = ''): unknown {
  const parameters = parseQueryString(query)
  if (!parameters.ok) return parameters
  const parsed = parseEventStream(parameters.value, lastEventId, () => true)
  return parsed.ok ? parsed.value : parsed
}

test('a position may be as long as an epoch and a seq can be', () => {
  const epoch = 'e/'.repeat(EPOCH_CHARACTERS_MAX / 2)
  const seq = Number.MAX_SAFE_INTEGER
  const position = { epoch, from: new Map([['', seq]]), wantsSnapshot: true }
  const query = 'channel=all_trades'
  expect(asked(query, `${epoch}/${seq}`)).toMatchObject(position)
  expect(asked(`${query}&from_seq=${seq}&epoch=${epoch}`)).toMatchObject(position)
  expect(asked(query)).toMatchObject({ epoch: null, from: new Map(), wantsSnapshot: false })
})

test('candles of which nobody says how many are as many as on a connection', () => {
  const query = 'channel=candles&mint=A&resolution=1'
  expect(asked(query)).toMatchObject({ countback: COUNTBACK_DEFAULT })
  expect(asked(`${query}&countback=${BARS_MAX}`)).toMatchObject({ countback: BARS_MAX })
  expect(asked(`${query}&countback=${BARS_MAX + 1}`)).toMatchObject({ ok: false })
})
