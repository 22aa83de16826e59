import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { codeOf, messageOf } from '../base/errors.ts'
import { isRecord, jsonOf, listAt, textAt } from '../base/json-access.ts'
import { stripControlChars } from '../base/safe-text.ts'
import { type Asked, type Command, Exit, type Terminal, UsageError } from './command.ts'

const ANSWER_MS = 30_000

const ORDERS = [
  'list',
  'show',
  'add',
  'replace',
  'remove',
  'enable',
  'disable',
  'test',
  'dead',
  'resend',
  'drop',
] as const
type Order = (typeof ORDERS)[number]
const WITHOUT_RULE: readonly Order[] = ['list', 'add', 'dead', 'resend', 'drop']

const HELP = `The orders go to the admin surface of a running service (ADMIN_PORT, ADMIN_HOST, ADMIN_TOKEN, or --url).

  list                     the rules, and what waits of each
  show <rule>              one rule
  add                      adds the rule in --file, or on standard input
  replace <rule>           puts that rule in the place of one
  remove <rule>            removes it, with what waits for its webhook
  enable, disable <rule>   an alert rule that is disabled finds and sends nothing
  test <rule>              sends a delivery of the event test now
  dead [<rule>]            deliveries that were given up
  resend, drop [<rule>]    all of them again, or away; --n for one

docs/alerts.md has the form of a rule.
`

const WRONG_PORT = ' Orders go elsewhere: the admin surface is at the port of ADMIN_PORT.'

/** `mintfeed alerts`: the orders on alert rules, by the admin surface of a running service. */
export const alertsCommand: Command = {
  summary: 'lists and changes alert rules of a running service',
  help: HELP,
  needsFolder: false,
  words: true,
  flags: {
    url: { type: 'string', meaning: 'the admin surface, like http://127.0.0.1:9000' },
    file: { type: 'string', meaning: 'the rule to add, JSON; - is standard input' },
    n: { type: 'string', meaning: 'the number of one dead letter' },
    json: { type: 'boolean', meaning: 'prints what the service answers' },
  },
  run,
}

async function run(asked: Asked, terminal: Terminal): Promise<number> {
  const [word = 'list', rule = '', ...more] = asked.words ?? []
  const order = ORDERS.find((known) => known === word)
  if (order === undefined)
    throw new UsageError(`There is no order "${word}" of alerts: there are ${ORDERS.join(', ')}.`)
  if (more.length > 0)
    throw new UsageError(`alerts ${order} takes one rule, "${more[0]}" is too much.`)
  if (rule === '' && !WITHOUT_RULE.includes(order))
    throw new UsageError(`alerts ${order} needs the id of a rule.`)
  const { status, body } = await ask(asked, terminal, await requestOf(order, rule, asked, terminal))
  const value = jsonOf(body)
  if (status >= 300) {
    const sentence = textAt(value, 'message') ?? body.trim()
    // The service's own port answers so; the admin surface lists its paths in plain text.
    const hint = textAt(value, 'code') === 'not_found' ? WRONG_PORT : ''
    terminal.stderr.write(`mintfeed: ${stripControlChars(sentence, ' ')}${hint}\n`)
    return Exit.bad
  }
  const shown = asked.flags.json === true ? `${body}\n` : readable(order, value)
  terminal.stdout.write(shown)
  return isRecord(value) && value.delivered === false ? Exit.bad : Exit.good
}

interface AdminRequest {
  readonly method: string
  readonly path: string
  readonly body?: string
}

async function requestOf(
  order: Order,
  rule: string,
  { flags }: Asked,
  terminal: Terminal,
): Promise<AdminRequest> {
  const path = `/alerts/${encodeURIComponent(rule)}`
  const n = numberFlag(flags.n)
  const choice = JSON.stringify({ ...(rule !== '' && { rule }), ...(n !== null && { n }) })
  switch (order) {
    case 'list':
      return { method: 'GET', path: '/alerts' }
    case 'show':
      return { method: 'GET', path }
    case 'add':
      return { method: 'POST', path: '/alerts', body: await ruleText(flags.file, terminal) }
    case 'replace':
      return { method: 'PUT', path, body: await ruleText(flags.file, terminal) }
    case 'remove':
      return { method: 'DELETE', path }
    case 'dead':
      return {
        method: 'GET',
        path: `/dead-letters${rule === '' ? '' : `?rule=${encodeURIComponent(rule)}`}`,
      }
    case 'resend':
    case 'drop':
      return { method: 'POST', path: `/dead-letters/${order}`, body: choice }
    default:
      return { method: 'POST', path: `${path}/${order}` }
  }
}

function numberFlag(text: Asked['flags'][string]): number | null {
  if (text === undefined) return null
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text)
  throw new UsageError(`--n is "${text}"; it must be the n of a dead letter.`)
}

async function ruleText(file: Asked['flags'][string], { stdin }: Terminal): Promise<string> {
  if (typeof file !== 'string' || file === '-') return textOf(stdin)
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`--file is "${file}", which cannot be read: ${codeOf(error)}.`)
  }
}

/** @throws UsageError where there is no service to ask */
function ask(
  { flags }: Asked,
  { environment }: Terminal,
  { method, path, body }: AdminRequest,
): Promise<{ readonly status: number; readonly body: string }> {
  const { ADMIN_HOST: host = '', ADMIN_PORT: port = '', ADMIN_TOKEN: token = '' } = environment
  const base =
    typeof flags.url === 'string' ? flags.url : port && `http://${host || '127.0.0.1'}:${port}`
  const url = URL.parse(`${base.replace(/\/$/, '')}${path}`)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError('Nobody is there to ask: set ADMIN_PORT as the service has it, or --url.')
  const { request } = process.getBuiltinModule(
    url.protocol === 'https:' ? 'node:https' : 'node:http',
  )
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const asked = request(url, {
    method,
    timeout: ANSWER_MS,
    headers: {
      ...(token !== '' && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
    },
  })
  asked.on('response', resolve)
  asked.on('timeout', () => asked.destroy(new Error(`nothing came for ${ANSWER_MS / 1000} s`)))
  asked.on('error', (error) => {
    const reason = codeOf(error) || messageOf(error)
    reject(new UsageError(`The admin surface does not answer (${reason}): does the service run?`))
  })
  asked.end(body)
  return promise.then(async (answer) => ({
    status: answer.statusCode ?? 0,
    body: await textOf(answer),
  }))
}

/** A few lines for eyes. */
function readable(order: Order, value: unknown): string {
  if (order === 'list') {
    const rules = (listAt(value, 'rules') ?? []).map(lineOf)
    return rules.length === 0 ? 'There are no alert rules.\n' : rules.join('')
  }
  if (order === 'dead') {
    const letters = (listAt(value, 'items') ?? []).map(letterLine)
    return letters.length === 0 ? 'There are no dead letters.\n' : letters.join('')
  }
  return `${JSON.stringify(value, null, 2)}\n`
}

function lineOf(rule: unknown): string {
  if (!isRecord(rule)) return ''
  const kind = isRecord(rule.when) ? rule.when.kind : ''
  const trouble = typeof rule.trouble === 'string' ? `; ${rule.trouble}` : ''
  const line =
    `${rule.id}  ${rule.enabled === true ? 'on ' : 'off'}  ${kind}  ${rule.name}  ` +
    `(${rule.queued} waiting, ${rule.delivered} delivered${trouble})`
  return `${stripControlChars(line, ' ')}\n`
}

function letterLine(letter: unknown): string {
  if (!isRecord(letter)) return ''
  const line = `${letter.n}  ${letter.found_at}  ${letter.id}  ${letter.reason}`
  return `${stripControlChars(line, ' ')}\n`
}
