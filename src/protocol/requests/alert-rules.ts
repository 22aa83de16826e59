import { randomBytes } from 'node:crypto'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { isAddress } from '../../base/base58.ts'
import { isRecord, type JsonRecord, textAt } from '../../base/json-access.ts'
import type { AlertCondition, AlertRule, AlertTarget, Crossing } from '../alerts.ts'
import type { AlertsQuery } from '../queries.ts'
import {
  ADDRESS_EXPECTED,
  accept,
  integer,
  type Parsed,
  type QueryParameters,
  quoted,
  refuse,
  shown,
  single,
} from './parsers.ts'
import { tablesOf } from './tables.ts'
import { LIMIT_RANGE } from './tokens.ts'

/** Wallets and creators of a rule at most. */
export const ALERT_ADDRESSES_MAX = 1_000
const NAME_CHARACTERS_MAX = 128
const URL_CHARACTERS_MAX = 2_048
const SECRET_CHARACTERS_MIN = 16
const SECRET_CHARACTERS_MAX = 256
const SECRET_BYTES = 32
const ID_BYTES = 6

const CLOSED = { additionalProperties: false } as const
export const RULE_ID_PATTERN = '^[A-Za-z0-9_-]{1,64}$'
const RULE_ID = new RegExp(RULE_ID_PATTERN)
const AFTER_RANGE = { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 }
const Id = Type.String({ pattern: RULE_ID_PATTERN })
const Direction = Type.Union(['up', 'down', 'either'].map((word) => Type.Literal(word)))
const Change = Type.Union(['enter', 'leave', 'either'].map((word) => Type.Literal(word)))
const Addresses = Type.Array(Type.String(), { minItems: 1, maxItems: ALERT_ADDRESSES_MAX })
const Value = Type.Number({ exclusiveMinimum: 0 })

/** The conditions by their kind; the filter is the body of POST /api/v2/meme and is checked as that is. */
const CONDITIONS = {
  filter: Type.Object(
    { kind: Type.Literal('filter'), change: Type.Optional(Change), filter: Type.Unknown() },
    CLOSED,
  ),
  price: crossing('price'),
  market_cap: crossing('market_cap'),
  wallet: Type.Object({ kind: Type.Literal('wallet'), wallets: Addresses }, CLOSED),
  migration: Type.Object(
    { kind: Type.Literal('migration'), mint: Type.Optional(Type.String()) },
    CLOSED,
  ),
  launch: Type.Object({ kind: Type.Literal('launch'), creators: Addresses }, CLOSED),
} as const
type Kind = keyof typeof CONDITIONS
const KINDS: readonly string[] = Object.keys(CONDITIONS)

function crossing<K extends 'price' | 'market_cap'>(kind: K) {
  return Type.Object(
    {
      kind: Type.Literal(kind),
      value: Value,
      direction: Type.Optional(Direction),
      mint: Type.Optional(Type.String()),
    },
    CLOSED,
  )
}

const Target = Type.Object(
  {
    live: Type.Optional(Type.Boolean()),
    webhook: Type.Optional(
      Type.Object({ url: Type.String(), secret: Type.Optional(Type.String()) }, CLOSED),
    ),
  },
  CLOSED,
)

/** A rule as it is sent; for the published schema too. */
export const AlertRuleSchema = Type.Object(
  {
    id: Type.Optional(Id),
    name: Type.Optional(Type.String({ maxLength: NAME_CHARACTERS_MAX })),
    when: Type.Union(Object.values(CONDITIONS)),
    to: Target,
    enabled: Type.Optional(Type.Boolean()),
  },
  CLOSED,
)

const ruleChecker = Compile(
  Type.Object(
    { ...AlertRuleSchema.properties, when: Type.Object({ kind: Type.Unknown() }) },
    CLOSED,
  ),
)
const conditionCheckers = {
  filter: Compile(CONDITIONS.filter),
  price: Compile(CONDITIONS.price),
  market_cap: Compile(CONDITIONS.market_cap),
  wallet: Compile(CONDITIONS.wallet),
  migration: Compile(CONDITIONS.migration),
  launch: Compile(CONDITIONS.launch),
} as const

/** What a rule that names none gets: with a secret, its sender is told once what it is. */
export interface MadeParts {
  readonly id: () => string
  readonly secret: (() => string) | null
}

/** Made by the service, as for rules that come over the admin surface. */
export const MADE_PARTS: MadeParts = {
  id: () => randomBytes(ID_BYTES).toString('hex'),
  secret: () => randomBytes(SECRET_BYTES).toString('hex'),
}

/**
 * A rule out of a JSON value. `before` is the rule that it replaces, whose secret stays where the new one names the same
 * address and none; `made` gives what is left out.
 */
export function parseAlertRule(
  value: unknown,
  made: MadeParts,
  before: AlertRule | null = null,
): Parsed<AlertRule> {
  if (!ruleChecker.Check(value)) return refusedRule(value)
  const when = parseCondition(value.when)
  if (!when.ok) return when
  const id = value.id ?? before?.id ?? made.id()
  const to = parseTarget(value.to, made, before)
  if (!to.ok) return to
  const { name = id, enabled = true } = value
  const { live, webhook } = to.value
  return accept({
    ...{ id, name, enabled },
    when: when.value,
    to: to.value,
    shown: {
      ...{ id, name, when: value.when },
      // An address of a webhook may hold a key too: its host says which one it is.
      to: { live, ...(webhook !== null && { webhook: { host: URL.parse(webhook.url)?.host } }) },
    },
  })
}

function refusedRule(value: unknown): Parsed<never> {
  // So a text is read that is no JSON.
  const came = value === undefined ? 'a text that is no JSON' : shown(value)
  if (!isRecord(value)) return refusal('', `a rule came as ${came}, a JSON object is expected.`)
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(AlertRuleSchema.properties, key))
  const allowed = Object.keys(AlertRuleSchema.properties).join(', ')
  if (unknown !== undefined)
    return refusal(unknown, `${quoted(unknown)} is not known in a rule, allowed are ${allowed}.`)
  if (!isRecord(value.when))
    return refusal('when', 'when is missing, an object with a kind is expected.')
  if (!isRecord(value.to))
    return refusal('to', 'to is missing, an object with live or webhook is expected.')
  const [first] = ruleChecker.Errors(value)
  const path = (first?.instancePath ?? '').slice(1).replaceAll('/', '.')
  const forms: Readonly<Record<string, string>> = {
    id: 'a text of 1 to 64 letters, digits, _ and - is expected',
    name: `a text of at most ${NAME_CHARACTERS_MAX} characters is expected`,
    enabled: 'true or false is expected',
    'to.live': 'true or false is expected',
  }
  const form = forms[path] ?? 'live (true or false) and webhook (url, secret) are allowed in it'
  return refusal(path, `${path} cannot be used: ${form}.`)
}

function refusal(path: string, message: string): Parsed<never> {
  return refuse('invalid_body', path, message)
}

function parseCondition(given: JsonRecord): Parsed<AlertCondition> {
  const kind = KINDS.find((word) => word === given.kind)
  if (kind === undefined || !isKind(kind)) {
    const came = shown(given.kind)
    return refusal('when.kind', `when.kind came as ${came}, allowed are ${KINDS.join(', ')}.`)
  }
  if (!conditionCheckers[kind].Check(given)) return refusedCondition(kind, given)
  if (kind === 'filter') return parseFilter(given)
  if (conditionCheckers.wallet.Check(given))
    return addressed('when.wallets', given.wallets, (wallets) => ({ kind: 'wallet', wallets }))
  if (conditionCheckers.launch.Check(given))
    return addressed('when.creators', given.creators, (creators) => ({ kind: 'launch', creators }))
  const mint = textAt(given, 'mint')
  if (mint !== null && !isAddress(mint)) return badAddress('when.mint', mint)
  if (conditionCheckers.price.Check(given) || conditionCheckers.market_cap.Check(given)) {
    const { kind: of, value, direction } = given
    return accept({ kind: of, value, direction: directionOf(direction), mint })
  }
  return accept({ kind: 'migration', mint })
}

function directionOf(word: unknown): Crossing {
  return word === 'up' || word === 'down' ? word : 'either'
}

function isKind(word: string): word is Kind {
  return Object.hasOwn(CONDITIONS, word)
}

const FORMS = {
  filter: 'change (enter, leave or either) and filter (the body of POST /api/v2/meme)',
  price: 'value (US dollars above 0), direction (up, down or either) and mint',
  market_cap: 'value (US dollars above 0), direction (up, down or either) and mint',
  wallet: `wallets (1 to ${ALERT_ADDRESSES_MAX} addresses)`,
  migration: 'mint',
  launch: `creators (1 to ${ALERT_ADDRESSES_MAX} addresses)`,
} as const satisfies Record<Kind, string>

function refusedCondition(kind: Kind, given: JsonRecord): Parsed<never> {
  const { properties } = CONDITIONS[kind]
  const [first] = conditionCheckers[kind].Errors(given)
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(properties, key))
  const path = unknown ?? (first?.instancePath ?? '').slice(1).replaceAll('/', '.')
  const name = path === '' ? 'when' : `when.${path}`
  return refusal(name, `${name} cannot be used: a rule of ${kind} has ${FORMS[kind]}.`)
}

function parseFilter(given: JsonRecord): Parsed<AlertCondition> {
  if (isRecord(given.filter) && (given.filter.limit ?? given.filter.extra ?? null) !== null)
    return refusal('when.filter', 'when.filter has limit or extra, which only a table can have.')
  const filter = tablesOf(given.filter)
  if (!filter.ok) {
    const { message } = filter.error
    return refusal(
      'when.filter',
      message.replace(/^(body )?/, (body) => `when.filter${body === '' ? '.' : ' '}`),
    )
  }
  const { change } = given
  return accept({
    kind: 'filter',
    change: change === 'enter' || change === 'leave' ? change : 'either',
    filter: filter.value,
  })
}

function addressed(
  path: string,
  given: readonly string[],
  condition: (addresses: readonly string[]) => AlertCondition,
): Parsed<AlertCondition> {
  const bad = given.find((text) => !isAddress(text))
  return bad === undefined ? accept(condition([...new Set(given)])) : badAddress(path, bad)
}

function badAddress(path: string, text: string): Parsed<never> {
  return refusal(path, `${path} came with ${quoted(text)}, ${ADDRESS_EXPECTED}.`)
}

/** Addresses of webhooks are not repeated in a sentence: they may hold a key. */
function parseTarget(
  { live = false, webhook }: { live?: boolean; webhook?: { url: string; secret?: string } },
  made: MadeParts,
  before: AlertRule | null,
): Parsed<AlertTarget> {
  if (webhook === undefined) {
    if (live) return accept({ live, webhook: null })
    return refusal('to', 'to names nobody: set live to true, or give a webhook.')
  }
  const url = webhook.url.length > URL_CHARACTERS_MAX ? null : URL.parse(webhook.url)
  const isUsable =
    url !== null &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.username + url.password + url.hash === ''
  if (!isUsable)
    return refusal(
      'to.webhook.url',
      'to.webhook.url cannot be used: an https address without a login and a hash is expected.',
    )
  const known = before?.to.webhook?.url === url.href ? before.to.webhook.secret : undefined
  const secret = webhook.secret ?? known ?? made.secret?.()
  if (secret === undefined)
    return refusal('to.webhook.secret', 'to.webhook.secret is missing: a file has to name it.')
  if (secret.length < SECRET_CHARACTERS_MIN || secret.length > SECRET_CHARACTERS_MAX) {
    const range = `${SECRET_CHARACTERS_MIN} to ${SECRET_CHARACTERS_MAX}`
    return refusal('to.webhook.secret', `to.webhook.secret must have ${range} characters.`)
  }
  return accept({ live, webhook: { url: url.href, secret } })
}

/** `after`, `limit` and `rule` of the alerts that were told. */
export function parseAlerts(parameters: QueryParameters): Parsed<AlertsQuery> {
  const after = integer(parameters, 'after', AFTER_RANGE)
  if (!after.ok) return after
  const limit = integer(parameters, 'limit', LIMIT_RANGE)
  if (!limit.ok) return limit
  const rule = single(parameters, 'rule')
  if (!rule.ok) return rule
  if (rule.value !== null && !RULE_ID.test(rule.value)) {
    const message = `rule came as ${quoted(rule.value)}, the id of a rule is expected.`
    return refuse('invalid_parameter', 'rule', message)
  }
  const behind = parameters.has('after') ? after.value : null
  return accept({ after: behind, limit: limit.value, rule: rule.value })
}
