import { expect, test } from 'vitest'
import { parseLiveMessage } from '../../../src/protocol/live/live-messages.ts'

const CHANNELS = [
  ['update_mint_info', { mint: 'A' }, ['A']],
  ['mint_migration', {}, ['']],
  ['new_launched_pool', {}, ['']],
  ['update_pools_info', {}, ['']],
] as const
const PLAIN = { form: 'plain', from: new Map(), epoch: null, wantsSnapshot: false }

test.each(CHANNELS)(
  'options of %s that ask for nothing leave the plain channel',
  (event, key, keys) => {
    const named = { kind: 'stream', action: 'subscribe', channel: event, keys, many: false }
    const asked = (options: object) =>
      parseLiveMessage(
        JSON.stringify({ event, data: { action: 'subscribe', id: 'me', ...key, ...options } }),
        'me',
        () => true,
      )
    const nothing = [{}, { seq: false }, { snapshot: false }, { seq: false, snapshot: false }]
    // Keys that are not known are ignored as long as no option is there.
    for (const options of nothing.flatMap((one) => [one, { ...one, unknown: 1 }]))
      expect(asked(options), JSON.stringify(options)).toEqual({ ...named, ...PLAIN })
    for (const options of [{ seq: true }, { snapshot: true }])
      expect(asked(options), JSON.stringify(options)).toMatchObject({ form: 'numbered' })
    for (const options of [{ seq: false, snapshot: true }, { seq: 0 }, { snapshot: null }])
      expect(asked({ ...options, unknown: 1 })).toMatchObject({ kind: 'refused' })
  },
)

test('a long text that came in place of an option is cut, and the sentence shows that it was', () => {
  const data = { action: 'subscribe', id: 'me', mint: 'A' }
  for (const [options, what] of [
    [{ seq: 'x'.repeat(100) }, `data.seq came as "${'x'.repeat(40)}…"`],
    [{ ['y'.repeat(100)]: 1, seq: true }, `data."${'y'.repeat(40)}…" is not known`],
  ] as const) {
    const text = JSON.stringify({ event: 'update_mint_info', data: { ...data, ...options } })
    expect(parseLiveMessage(text, 'me', () => true)).toMatchObject({
      message: expect.stringContaining(what),
    })
  }
})
