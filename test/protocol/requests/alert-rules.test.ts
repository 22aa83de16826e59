import { expect, test } from 'vitest'
import { MADE_PARTS, parseAlertRule } from '../../../src/protocol/requests/alert-rules.ts'
import { Random } from '../../oracle/random.ts'

const random = new Random(49)
const [ALICE, BOB] = [random.base58(44), random.base58(44)]
const SECRET = 'a secret that is long enough'
const live = { live: true }
const wallets = { kind: 'wallet', wallets: [ALICE] }
const hook = (url: string, secret?: string) => ({ webhook: { url, ...(secret && { secret }) } })

function parsed(value: unknown, made = MADE_PARTS) {
  const rule = parseAlertRule(value, made)
  if (!rule.ok) throw new Error(rule.error.message)
  return rule.value
}

test('a rule is read with what it leaves out', () => {
  const rule = parsed({ when: { kind: 'market_cap', value: 5 }, to: live })
  expect(rule).toMatchObject({
    ...{ name: rule.id, enabled: true, to: { live: true, webhook: null } },
    when: { kind: 'market_cap', value: 5, direction: 'either', mint: null },
  })
  expect(rule.id).toMatch(/^[0-9a-f]{12}$/)
  expect(parsed({ when: { ...wallets, wallets: [ALICE, BOB, ALICE] }, to: live }).when).toEqual({
    kind: 'wallet',
    wallets: [ALICE, BOB],
  })
  const filter = { type: 'new', newPools: { holders: { min: 3 }, dexPaid: null } }
  expect(
    parsed({ when: { kind: 'filter', change: 'leave', filter }, to: live }).when,
  ).toMatchObject({
    ...{ kind: 'filter', change: 'leave' },
    filter: { type: 'new', filters: { new: { holders: { min: 3 } } } },
  })
  expect(parsed({ when: { kind: 'migration' }, to: live }).when).toEqual({
    kind: 'migration',
    mint: null,
  })
})

test('what is shown of a rule has neither its secret nor the address of its webhook', () => {
  const { shown, to } = parsed({
    when: wallets,
    to: hook('https://desk.example/?key=hidden', SECRET),
  })
  expect(to.webhook).toEqual({ url: 'https://desk.example/?key=hidden', secret: SECRET })
  expect(JSON.stringify(shown)).not.toMatch(/hidden|secret/)
  expect(shown).toMatchObject({ to: { live: false, webhook: { host: 'desk.example' } } })
})

test('a rule that takes the place of one keeps its secret at the same address alone', () => {
  const before = parsed({ id: 'r', when: wallets, to: hook('https://desk.example/', SECRET) })
  const made = { id: () => 'r', secret: null }
  const same = parseAlertRule({ when: wallets, to: hook('https://desk.example') }, made, before)
  expect(same).toMatchObject({ ok: true, value: { id: 'r', to: { webhook: { secret: SECRET } } } })
  const other = parseAlertRule({ when: wallets, to: hook('https://other.example') }, made, before)
  expect(other).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('is missing') },
  })
})

test.each([
  [7, 'a rule came as 7, a JSON object is expected.'],
  [undefined, 'a rule came as a text that is no JSON, a JSON object is expected.'],
  [{ to: live }, 'when is missing, an object with a kind is expected.'],
  [{ when: wallets }, 'to is missing, an object with live or webhook is expected.'],
  [{ when: wallets, to: {} }, 'to names nobody: set live to true, or give a webhook.'],
  [
    { when: wallets, to: live, foo: 1 },
    '"foo" is not known in a rule, allowed are id, name, when, to, enabled.',
  ],
  [
    { id: 'a b', when: wallets, to: live },
    'id cannot be used: a text of 1 to 64 letters, digits, _ and - is expected.',
  ],
  [{ when: wallets, to: { live: 1 } }, 'to.live cannot be used: true or false is expected.'],
  [
    { when: { kind: 'moon' }, to: live },
    'when.kind came as "moon", allowed are filter, price, market_cap, wallet, migration, launch.',
  ],
  [
    { when: { kind: 'price', value: -1 }, to: live },
    'when.value cannot be used: a rule of price has value (US dollars above 0), direction (up, down or either) and mint.',
  ],
  [
    { when: { kind: 'wallet', wallets: [] }, to: live },
    'when.wallets cannot be used: a rule of wallet has wallets (1 to 1000 addresses).',
  ],
  [
    { when: { kind: 'wallet', wallets: ['x'] }, to: live },
    'when.wallets came with "x", an address is expected: 32 to 44 characters of base58.',
  ],
  [
    { when: { kind: 'migration', mints: [ALICE] }, to: live },
    'when.mints cannot be used: a rule of migration has mint.',
  ],
  [
    { when: { kind: 'migration', mint: 'y' }, to: live },
    'when.mint came with "y", an address is expected: 32 to 44 characters of base58.',
  ],
  [
    { when: { kind: 'filter', filter: { limit: 5 } }, to: live },
    'when.filter has limit or extra, which only a table can have.',
  ],
  [
    { when: { kind: 'filter', filter: { newPools: { foo: 1 } } }, to: live },
    /^when\.filter\.newPools\.foo is not known, allowed are xReuses, /,
  ],
  [
    { when: { kind: 'filter', filter: 3 }, to: live },
    'when.filter came as 3, a JSON object is allowed.',
  ],
  ...[
    'ftp://desk.example',
    'desk.example',
    'https://me:pass@desk.example',
    'https://desk.example/#x',
  ].map(
    (url) =>
      [
        { when: wallets, to: hook(url, SECRET) },
        'to.webhook.url cannot be used: an https address without a login and a hash is expected.',
      ] as const,
  ),
  [
    { when: wallets, to: hook('https://desk.example', 'short') },
    'to.webhook.secret must have 16 to 256 characters.',
  ],
] as const)('rule %j is refused with one sentence', (value, message) => {
  const rule = parseAlertRule(value, MADE_PARTS)
  expect(rule.ok).toBe(false)
  if (rule.ok) return
  if (typeof message === 'string') expect(rule.error.message).toBe(message)
  else expect(rule.error.message).toMatch(message)
  expect(JSON.stringify(rule.error)).not.toContain('pass@')
})
