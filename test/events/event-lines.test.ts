import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseEventLine, parseEventValue } from '../../src/events/event-lines.ts'
import { anyEvent } from '../feeds/arbitrary-events.ts'
import { eventLineText } from '../feeds/event-line-text.ts'
import { SeededRandom } from '../feeds/seeded-random.ts'
import { created } from '../oracle/fixtures.ts'

const SWAP = {
  type: 'swap',
  slot: 5,
  tx_index: 1,
  ordinal: 2,
  signature: 's',
  timestamp: 1_700_000_000,
  source: 'pump',
  mint: 'm',
  pool: 'p',
  signer: 'w',
  direction: 'buy',
  base_raw: '1',
  quote_raw: '2',
  virtual_base_raw: '3',
  virtual_quote_raw: '4',
  real_base_raw: '5',
  real_quote_raw: '6',
  platform_fee_raw: '7',
  creator_fee_raw: '8',
}

const CREATED = {
  type: 'token_created',
  ...{ slot: 5, tx_index: 1, ordinal: 2, signature: 's', timestamp: 1_700_000_000 },
  ...{ mint: 'm', name: 'n', symbol: 's', uri: 'u', creator: 'c', bonding_curve: 'b' },
  ...{ token_program: 't', is_mayhem_mode: false },
  ...{ virtual_base_raw: '1', virtual_quote_raw: '2', real_base_raw: '3' },
}

const RESERVES = {
  type: 'reserves',
  ...{ slot: 5, tx_index: 1, ordinal: 2, signature: 's', timestamp: 1_700_000_000 },
  ...{ mint: 'm', source: 'pump_amm', reason: 'boost' },
  ...{ virtual_base_raw: '1', virtual_quote_raw: '2', real_base_raw: '3', real_quote_raw: '0' },
}

const BALANCE = {
  ...{ type: 'balance', slot: 5, signature: 's', timestamp: 7, mint: 'm', wallet: 'w' },
  balance_raw: '1',
}

function parsed(change: Record<string, unknown>) {
  return parseEventLine(JSON.stringify({ ...SWAP, ...change }))
}

function errorOf(change: Record<string, unknown>): string {
  const result = parsed(change)
  return 'error' in result ? result.error : 'no error'
}

test('every event comes back from its line', () => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      expect(parseEventLine(eventLineText(event))).toEqual(event)
    }),
    { numRuns: 2_000 },
  )
})

test('slot and index may be absent or null, the ordinal is then 0', () => {
  const position = { slot: null, txIndex: null, ordinal: 0 }
  expect(parsed({ slot: null, tx_index: null, ordinal: undefined })).toMatchObject(position)
  expect(parsed({ slot: undefined, tx_index: undefined, ordinal: null })).toMatchObject(position)
})

test('raw amounts are decimal strings or safe integers that fit in 64 bits', () => {
  expect(parsed({ base_raw: '18446744073709551615' })).toMatchObject({ baseRaw: 2n ** 64n - 1n })
  expect(parsed({ base_raw: 9_007_199_254_740_991 })).toMatchObject({ baseRaw: 2n ** 53n - 1n })
  expect(parsed({ base_raw: '0007' })).toMatchObject({ baseRaw: 7n })
  const wrong = [
    '18446744073709551616',
    '99999999999999999999',
    '-1',
    '1.0',
    '1e3',
    '',
    ' 1',
    '0x1',
  ]
  for (const base_raw of [...wrong, -1, 1.5, 1e300, 2 ** 53, null, true, {}, [], '١']) {
    expect(errorOf({ base_raw })).toMatch(/^"base_raw" is .+ but must be a decimal string/)
  }
})

test('a balance of 0 is one that was told, as a number too', () => {
  for (const none of [0, '0'])
    expect(
      parsed({
        ...{ base_balance_before_raw: none, base_balance_after_raw: none },
        ...{ chain_fee_raw: none, supply_raw: none },
      }),
    ).toMatchObject({
      ...{ baseBalanceBeforeRaw: 0n, baseBalanceAfterRaw: 0n, chainFeeRaw: 0n, supplyRaw: 0n },
    })
})

test('a fee of 0 of liquidity providers, or of cashback, is none', () => {
  for (const none of [0, '0', '00', null, undefined]) {
    const event = parsed({ lp_fee_raw: none, cashback_raw: none })
    expect(event).toEqual(parsed({}))
    expect(event).not.toHaveProperty('lpFeeRaw')
  }
  const fees = parsed({ lp_fee_raw: '18446744073709551615', cashback_raw: 7 })
  expect(fees).toMatchObject({ lpFeeRaw: 2n ** 64n - 1n, cashbackRaw: 7n })
  for (const wrong of ['-1', '18446744073709551616', 1.5, true])
    expect(errorOf({ lp_fee_raw: wrong })).toMatch(/^"lp_fee_raw" is .+ null or absent$/)
})

test('decimals of a quote are told with creations and swaps, from 0 to 18', () => {
  for (const line of [SWAP, CREATED]) {
    for (const told of [0, 6, 18])
      expect(parseEventValue({ ...line, quote_decimals: told })).toMatchObject({
        quoteDecimals: told,
      })
    for (const absent of [null, undefined])
      expect(parseEventValue({ ...line, quote_decimals: absent })).not.toHaveProperty(
        'quoteDecimals',
      )
    for (const wrong of [255, 19, -1, 6.5, '6'])
      expect(parseEventValue({ ...line, quote_decimals: wrong })).toHaveProperty(
        'error',
        `"quote_decimals" is ${typeof wrong === 'string' ? '"6"' : wrong} but must be an integer ` +
          'from 0 to 18, null or absent',
      )
  }
})

test('a route has hops 1 to 7', () => {
  for (const route of [1, 2, 7]) expect(parsed({ route })).toMatchObject({ route })
  for (const absent of [null, undefined])
    expect(parsed({ route: absent })).not.toHaveProperty('route')
  for (const route of [0, 8, -1, 1.5, '1', true])
    expect(errorOf({ route })).toMatch(
      /^"route" is .+ but must be an integer from 1 to 7, null or absent$/,
    )
})

test('reserves name what moved them, and have every reserve', () => {
  expect(parseEventValue(RESERVES)).toStrictEqual({
    type: 'reserves',
    ...{ slot: 5, txIndex: 1, ordinal: 2, signature: 's', timestamp: 1_700_000_000 },
    ...{ mint: 'm', source: 'pump_amm', virtualBaseRaw: 1n, virtualQuoteRaw: 2n },
    ...{ realBaseRaw: 3n, realQuoteRaw: 0n, reason: 'boost' },
  })
  for (const reason of ['mayhem', 'boost', 'deposit', 'withdraw', 'pool_opened', 'burn'])
    expect(parseEventValue({ ...RESERVES, reason, supply_raw: '9' })).toMatchObject({
      ...{ reason, supplyRaw: 9n },
    })
  const errorOfReserves = (change: object) => parseEventValue({ ...RESERVES, ...change })
  for (const reason of ['', 'Burn', 'swap', 'constructor', null, 1, undefined])
    expect(errorOfReserves({ reason })).toHaveProperty(
      'error',
      expect.stringMatching(
        /^"reason" is .+ must be "mayhem", "boost", .+ "pool_opened" or "burn"$/,
      ),
    )
  for (const key of ['virtual_base_raw', 'virtual_quote_raw', 'real_base_raw', 'real_quote_raw'])
    expect(errorOfReserves({ [key]: undefined })).toHaveProperty(
      'error',
      `"${key}" is missing but must be a decimal string of an integer from 0 to 2^64-1`,
    )
  expect(errorOfReserves({ source: 'other' })).toHaveProperty('error')
})

test('a balance names a wallet of a mint, and may be 0', () => {
  const place = { slot: null, txIndex: null, ordinal: 0, signature: 's', timestamp: 7 }
  const { slot: _slot, balance_raw: _balance, ...line } = BALANCE
  for (const balance_raw of [0, '0'])
    expect(parseEventValue({ ...line, balance_raw })).toStrictEqual({
      ...{ type: 'balance', ...place, mint: 'm', wallet: 'w', balanceRaw: 0n },
    })
  for (const [key, wrong] of [
    ['balance_raw', '-1'],
    ['balance_raw', undefined],
    ['wallet', ''],
    ['wallet', undefined],
    ['mint', 'x'.repeat(65)],
    ['signature', undefined],
  ] as const)
    expect(parseEventValue({ ...line, balance_raw: '1', [key]: wrong })).toHaveProperty(
      'error',
      expect.stringMatching(new RegExp(`^"${key}" is `)),
    )
})

test('the state of a mint names what the chain knows, and what it does not is absent or null', () => {
  const place = { slot: 5, txIndex: null, ordinal: 0, signature: 's', timestamp: 7 }
  const line = {
    ...{ type: 'token_state', slot: 5, signature: 's', timestamp: 7, mint: 'm' },
    ...{ token_program: 'T', decimals: 6, supply_raw: '10' },
  }
  const known = { mint: 'm', tokenProgram: 'T', decimals: 6, supplyRaw: 10n }
  const event = { type: 'token_state', ...place, ...known }
  expect(parseEventValue(line)).toStrictEqual(event)
  expect(parseEventValue({ ...line, name: null, creator: null })).toStrictEqual(event)
  expect(parseEventValue({ ...line, name: 'a\ud800', bonding_curve: 'c' })).toStrictEqual({
    ...event,
    ...{ name: 'a\ufffd', bondingCurve: 'c' },
  })
  for (const [key, wrong] of [
    ['decimals', 19],
    ['decimals', undefined],
    ['supply_raw', null],
    ['token_program', ''],
    ['creator', 'x'.repeat(65)],
    ['uri', 1],
  ] as const)
    expect(parseEventValue({ ...line, [key]: wrong })).toHaveProperty(
      'error',
      expect.stringMatching(new RegExp(`^"${key}" is `)),
    )
})

test('halves of characters become U+FFFD, whatever text they stand in', () => {
  const halves = { name: 'a\ud800b', symbol: '\udfff', uri: 'https://x/\ud83d' }
  for (const [key, text] of Object.entries(halves))
    expect(parseEventValue({ ...CREATED, [key]: text })).toHaveProperty(key, text.toWellFormed())
  expect(parseEventValue({ ...CREATED, ...halves })).toMatchObject({
    ...{ name: 'a\ufffdb', symbol: '\ufffd', uri: 'https://x/\ufffd' },
  })
  const links = { type: 'metadata', timestamp: 1, mint: 'm', description: '\ud83d 🚀', image: null }
  expect(parseEventValue(links)).toMatchObject({ description: '\ufffd 🚀', image: null })
})

test('unknown keys are ignored, also those with the names of built-ins', () => {
  const text = `${JSON.stringify(SWAP).slice(0, -1)},"__proto__":{"slot":9},"constructor":1,"x":[]}`
  expect(parseEventLine(text)).toEqual(parsed({}))
})

test('a prototype is no source of keys', () => {
  expect(parseEventLine('{"__proto__":{"type":"sol_price","timestamp":1,"usd":1}}')).toHaveProperty(
    'error',
  )
  for (const type of ['__proto__', 'constructor', 'toString', '', null, 7, ['swap']]) {
    expect(errorOf({ type })).toMatch(/^"type" is .+ but must be one of token_created, swap/)
  }
})

test('an error names the key, what came and what is allowed', () => {
  expect(errorOf({ direction: 'hold' })).toBe('"direction" is "hold" but must be "buy" or "sell"')
  expect(errorOf({ source: undefined })).toBe(
    '"source" is missing but must be "pump" or "pump_amm"',
  )
  expect(errorOf({ timestamp: 4_294_967_296 })).toBe(
    '"timestamp" is 4294967296 but must be an integer from 0 to 2^32-1 (unix seconds)',
  )
  expect(errorOf({ sol_price_usd: 0 })).toBe(
    '"sol_price_usd" is 0 but must be a number from 0.000001 to 1000000 (USD per SOL), null or absent',
  )
  expect(errorOf({ ordinal: 2 ** 32 })).toMatch(/^"ordinal" is 4294967296 but must be an integer/)
  expect(errorOf({ mint: 'x'.repeat(65) })).toMatch(
    /^"mint" is "x{48}…" but must be text of 1 to 64/,
  )
})

test('addresses and signatures are short text without control characters', () => {
  expect(parsed({ mint: '😀'.repeat(64), signature: 's'.repeat(128) })).not.toHaveProperty('error')
  for (const mint of ['', 'a\u0000', 'a\nb', '\u009b', '\ud800', '😀'.repeat(65), 5, null]) {
    expect(errorOf({ mint })).toMatch(/^"mint" is /)
  }
  expect(errorOf({ signature: 's'.repeat(129) })).toMatch(/^"signature" is /)
  // A terminal that prints the reason is not steered by it.
  expect(errorOf({ mint: '\u001b[2J\u009b' })).not.toMatch(/\p{Cc}/u)
})

test('a reason shows nothing that steers a terminal, hides, or turns the line around', () => {
  const steering = '\u001b[2J\u009b1A\u202e\u2066\u200f\u2028\u2029\ud800\r\n'
  for (const line of [JSON.stringify(steering), JSON.stringify({ type: steering })]) {
    const read = parseEventLine(line)
    const reason = 'error' in read ? read.error : ''
    expect(reason).toContain('[2J')
    expect(reason).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}]/u)
  }
})

test('metadata leaves absent keys alone and clears with null or nothing', () => {
  const line = {
    type: 'metadata',
    timestamp: 1,
    mint: 'm',
    image: null,
    twitter: '',
    dex_paid: true,
  }
  expect(parseEventValue(line)).toStrictEqual({
    type: 'metadata',
    timestamp: 1,
    mint: 'm',
    image: null,
    twitter: '',
    dexPaid: true,
  })
  const { dex_paid, ...rest } = line
  expect(parseEventValue({ ...line, dex_paid: null })).toMatchObject({ dexPaid: false })
  expect(parseEventValue({ ...line, dex_paid: '' })).toMatchObject({ dexPaid: false })
  expect(parseEventValue(rest)).not.toHaveProperty('dexPaid')
  expect(parseEventValue({ ...line, dex_paid: 'yes' })).toHaveProperty('error')
})

test('prices are numbers that a SOL may cost', () => {
  for (const usd of ['0', '-1', '1e-7', '1000000.1', '1e300', '1e999', '"1"', 'null', '{}']) {
    expect(parseEventLine(`{"type":"sol_price","timestamp":1,"usd":${usd}}`)).toHaveProperty(
      'error',
    )
  }
  for (const usd of [0.000_001, 1_000_000])
    expect(parseEventLine(`{"type":"sol_price","timestamp":1,"usd":${usd}}`)).toHaveProperty(
      'usd',
      usd,
    )
})

test('hostile lines are errors and never throw', () => {
  const nested = '['.repeat(100_000)
  const lines = [
    nested,
    nested + ']'.repeat(100_000),
    '{"type":{"type":'.repeat(20_000),
    '',
    'null',
  ]
  const more = [
    '1e300',
    '"swap"',
    '[]',
    '{}',
    '{"type":"swap"}',
    '\u0000',
    '{"type":"swap","slot":1e300}',
  ]
  for (const line of [...lines, ...more]) expect(parseEventLine(line)).toHaveProperty('error')
  for (const value of [undefined, Number.NaN, 1n, Symbol('x'), () => 1, new Map()]) {
    expect(parseEventValue(value)).toHaveProperty('error')
  }
})

test('lines with random damage never throw', () => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
  console.log(`damaged lines with SEED=${seed}`)
  const random = new SeededRandom(seed)
  const values = [null, -1, 1e300, '', '\ud800', {}, [], true, '18446744073709551616', 2 ** 53]
  for (let round = 0; round < 20_000; round++) {
    const whole = random.pick([SWAP, CREATED, RESERVES, BALANCE])
    const line = { ...whole, [random.pick(Object.keys(whole))]: random.pick(values) }
    const text = JSON.stringify(line)
    const at = random.below(text.length)
    const cut = random.below(3) === 0 ? text.slice(0, at) : text
    const event = parseEventLine(
      random.below(3) === 0
        ? cut.slice(0, at) + String.fromCharCode(random.below(300)) + cut.slice(at)
        : cut,
    )
    if ('error' in event) expect(event.error).toMatch(/^("\w+"|the line) is /)
    else expect(event.type).toBe(whole.type)
  }
})

test('halves of characters in texts become U+FFFD before anything keeps them', () => {
  const half = 'a\ud83d'
  const whole = 'a\ufffd'
  const texts = { name: half, symbol: half, uri: half }
  const event = parseEventLine(
    JSON.stringify({
      ...JSON.parse(eventLineText(created({ tokenProgram: 'program' }))),
      ...texts,
    }),
  )
  expect(event).toMatchObject({ name: whole, symbol: whole, uri: whole })
  for (const key of ['image', 'website', 'description'])
    expect(
      parseEventLine(JSON.stringify({ type: 'metadata', timestamp: 1, mint: 'm', [key]: half })),
    ).toMatchObject({ [key]: whole })
  // A pair is one character.
  expect(
    parseEventLine('{"type":"metadata","timestamp":1,"mint":"m","description":"\\ud83d\\udc36"}'),
  ).toMatchObject({ description: '🐶' })
})
