import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseEventLine } from '../../src/events/event-lines.ts'
import { usualSwap } from '../../src/events/swap-line.ts'
import { anyEvent } from '../feeds/arbitrary-events.ts'
import { eventLineText } from '../feeds/event-line-text.ts'
import { OPTIONAL_RAW_KEYS } from '../fuzz/targets/event-lines.ts'

const PRICE = 'sol_price_usd'
const SWAP = {
  ...{ type: 'swap', slot: 5, tx_index: 1, ordinal: 2, signature: 's', timestamp: 1_700_000_000 },
  ...{ source: 'pump', mint: 'm', pool: 'p', signer: 'w', direction: 'buy' },
  ...{ base_raw: '1', quote_raw: '2', virtual_base_raw: '3', virtual_quote_raw: '4' },
  ...{ real_base_raw: '5', real_quote_raw: '6', platform_fee_raw: '7', creator_fee_raw: '8' },
}
const LINE = JSON.stringify(SWAP)

/** Is the line read from its bytes? What is has to be the event that every other line is read as. */
function isRead(line: string): boolean {
  const swap = usualSwap(Buffer.from(line))
  if (swap !== null) expect(swap).toStrictEqual(parseEventLine(line))
  return swap !== null
}

const raw = fc.bigInt({ min: 0n, max: 2n ** 53n - 1n }).map(String)
const plain = fc.string({ minLength: 1, maxLength: 44, unit: 'grapheme-ascii' })
const address = plain.map((text) => text.replaceAll(/["\\]/g, '.'))
const u32 = fc.integer({ min: 0, max: 0xffffffff })
const required = { base_raw: raw, quote_raw: raw, virtual_base_raw: raw, virtual_quote_raw: raw }
/** Lines as they are written, their keys that may be absent in any order. */
const usualLine = fc
  .tuple(
    fc.record({
      ...{ type: fc.constant('swap'), slot: fc.maxSafeNat(), tx_index: u32, ordinal: u32 },
      ...{ signature: address, timestamp: u32, source: fc.constantFrom('pump', 'pump_amm') },
      ...{
        mint: address,
        pool: address,
        signer: address,
        direction: fc.constantFrom('buy', 'sell'),
      },
      ...{ ...required, real_base_raw: raw, real_quote_raw: raw },
      ...{ platform_fee_raw: raw, creator_fee_raw: raw },
    }),
    fc.shuffledSubarray([...OPTIONAL_RAW_KEYS, PRICE]),
    fc.array(raw, { minLength: OPTIONAL_RAW_KEYS.length + 1 }),
    fc.integer({ min: 1, max: 1_000_000_000 }).map((value) => value / 1_000),
  )
  .map(([line, keys, raws, price]) => {
    const value = (key: string, i: number) => (key === PRICE ? price : raws[i])
    return JSON.stringify({
      ...line,
      ...Object.fromEntries(keys.map((key, i) => [key, value(key, i)])),
    })
  })

test('usual lines are read from their bytes, as all others are', () => {
  fc.assert(
    fc.property(usualLine, (line) => isRead(line)),
    { numRuns: 2_000 },
  )
})

test('a line of any event is read so as it is otherwise, or not at all', () => {
  fc.assert(
    fc.property(anyEvent, (event) => void isRead(eventLineText(event))),
    { numRuns: 2_000 },
  )
})

/** What a program or a fault may put anywhere into a line. */
const PIECES = [
  ...[' ', '\t', '"', '\\', '\\u0061', '\\n', '\\"', ',', ':', '{', '}', '[', ']', 'null', 'true'],
  ...['0', '00', '-', '+', '.', '.0', 'e1', 'E-1', '9', '9007199254740992', '18446744073709551616'],
  ...[
    'é',
    '\u{7f}',
    '\u{0}',
    '\u{feff}',
    '\u{1f600}',
    'pump',
    '_amm',
    'sell',
    '"x":1,',
    ',"x":"1"',
  ],
  ...['1.5', `,"${PRICE}":1.5`, `,"${PRICE}":"1"`, `,"${PRICE}":1e2`],
  ...OPTIONAL_RAW_KEYS.flatMap((key) => [`"${key}":"5",`, `,"${key}":"5"`, `,"${key}":5`, key]),
  ...Object.entries(SWAP).map(
    (pair) => `,${JSON.stringify(Object.fromEntries([pair])).slice(1, -1)}`,
  ),
]

test('what is changed anywhere in a line changes what is read in the same way', () => {
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    dropped: fc.constantFrom(0, 0, 1, 12),
    piece: fc.oneof(fc.constantFrom('', '7', 'x'), fc.constantFrom(...PIECES)),
  })
  let read = 0
  fc.assert(
    fc.property(usualLine, fc.array(change, { minLength: 1, maxLength: 2 }), (usual, changes) => {
      let line = usual
      for (const { at, dropped, piece } of changes) {
        const from = Math.floor(at * line.length)
        line = line.slice(0, from) + piece + line.slice(from + dropped)
      }
      if (isRead(line)) read++
    }),
    { numRuns: 20_000 },
  )
  // Changed values of the same form.
  expect(read).toBeGreaterThan(500)
})

test('each piece at each place of a line leaves it what it is otherwise', () => {
  const whole = JSON.stringify({ ...SWAP, lp_fee_raw: '0', supply_raw: '9' })
  for (let at = 0; at <= whole.length; at++)
    for (const piece of PIECES) isRead(whole.slice(0, at) + piece + whole.slice(at))
})

test('another form is left to the reading of all lines', () => {
  expect(isRead(LINE)).toBe(true)
  const with_ = (change: Record<string, unknown>) => JSON.stringify({ ...SWAP, ...change })
  const others = [
    ...[` ${LINE}`, `${LINE} `, LINE.replace(':5', ': 5'), LINE.replace('"m"', '"\\u006d"')],
    ...[LINE.replace(':5', ':5.0'), LINE.replace(':5', ':05'), LINE.replace(':5', ':-0')],
    ...[
      LINE.replace('"1"', '1'),
      with_({ slot: null }),
      with_({ slot: 2 ** 53 }),
      with_({ mint: 'é' }),
    ],
    ...[with_({ tx_index: 2 ** 32 }), with_({ timestamp: 2 ** 32 }), with_({ ordinal: 1.5 })],
    ...[
      with_({ mint: '' }),
      with_({ mint: 'm'.repeat(65) }),
      with_({ signature: 's'.repeat(129) }),
    ],
    ...[with_({ base_raw: String(2n ** 53n) }), with_({ base_raw: '0'.repeat(21) })],
    ...[with_({ source: 'pumpx' }), with_({ direction: 'buys' }), with_({ fresh: true })],
    ...[with_({ supply_raw: null }), with_({ unknown: '1' }), `{"mint":"m",${LINE.slice(1)}`],
    LINE.replace('}', ',"supply_raw":"1","supply_raw":"2"}'),
    ...['1e2', '.5', '1.', '01', '-1', '0', '1000001', '"1"', 'null', '1,"sol_price_usd":2'].map(
      (price) => LINE.replace('}', `,"sol_price_usd":${price}}`),
    ),
    ...['', '{', LINE.slice(0, -1), LINE.slice(0, 40)],
  ]
  expect(others.filter(isRead)).toEqual([])
})
