import type { IncomingMessage, ServerResponse } from 'node:http'
import { integerAt, isRecord, jsonOf, textAt } from '../../base/json-access.ts'
import { type AdminRoute, sendJson } from './admin-answers.ts'

const RULES = '/alerts'
const DEAD = '/dead-letters'
/** A rule with a thousand wallets has 50 KB. */
const BODY_BYTES_MAX = 256 * 1024

/** Why an order is not carried out. */
interface Refused {
  readonly refused: 'invalid' | 'unknown' | 'conflict' | 'unstored'
  readonly message: string
}
type Answer = object | Refused

/** The orders on alerts (docs/alerts.md). */
export interface AlertsPort {
  list(): object
  get(id: string): Answer
  create(value: unknown): Promise<Answer>
  replace(id: string, value: unknown): Promise<Answer>
  enable(id: string, enabled: boolean): Promise<Answer>
  remove(id: string): Promise<Answer>
  test(id: string): Promise<Answer>
  dead(rule: string | null, after: number): Answer
  resend(choice: { readonly rule: string | null; readonly n: number | null }): Answer
  drop(choice: { readonly rule: string | null; readonly n: number | null }): Answer
}

const STATUSES = { invalid: 400, unknown: 404, conflict: 409, unstored: 503 } as const

export function alertRoutes({ alerts }: { readonly alerts?: AlertsPort }): readonly AdminRoute[] {
  if (alerts === undefined) return []
  return [...ruleRoutes(alerts), ...deadRoutes(alerts)]
}

function ruleRoutes(alerts: AlertsPort): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: RULES,
      meaning: 'the alert rules, with what waits of each',
      answer: (response) => answer(response, alerts.list()),
    },
    {
      method: 'POST',
      path: RULES,
      meaning: 'adds the rule in the body',
      takesBody: true,
      answer: async (response, _seconds, request) => {
        const body = await bodyOf(request)
        if (body === null) return tooLong(response)
        answer(response, await alerts.create(jsonOf(body)), 201)
      },
    },
    {
      method: 'GET',
      path: `${RULES}/`,
      meaning: 'one rule by its id',
      answer: (response, _seconds, request) => answer(response, alerts.get(wordsOf(request)[0])),
    },
    {
      method: 'PUT',
      path: `${RULES}/`,
      meaning: 'puts the rule in the body in the place of one',
      takesBody: true,
      answer: async (response, _seconds, request) => {
        const body = await bodyOf(request)
        if (body === null) return tooLong(response)
        answer(response, await alerts.replace(wordsOf(request)[0], jsonOf(body)))
      },
    },
    {
      method: 'DELETE',
      path: `${RULES}/`,
      meaning: 'removes a rule, with what waits of it',
      answer: async (response, _seconds, request) =>
        answer(response, await alerts.remove(wordsOf(request)[0])),
    },
    {
      method: 'POST',
      path: `${RULES}/`,
      meaning: '<id>/enable, <id>/disable, <id>/test',
      answer: async (response, _seconds, request) => {
        const [id, order] = wordsOf(request)
        if (order === 'test') return answer(response, await alerts.test(id))
        if (order === 'enable' || order === 'disable')
          return answer(response, await alerts.enable(id, order === 'enable'))
        const message = `POST ${RULES}/<id>/ takes enable, disable or test.`
        answer(response, { refused: 'unknown', message })
      },
    },
  ]
}

function deadRoutes(alerts: AlertsPort): readonly AdminRoute[] {
  const order = (path: string, meaning: string, run: AlertsPort['resend']): AdminRoute => ({
    method: 'POST',
    path,
    meaning,
    takesBody: true,
    answer: async (response, _seconds, request) => {
      const choice = jsonOf((await bodyOf(request)) || '{}')
      const keys = isRecord(choice) ? Object.keys(choice) : ['']
      const n = integerAt(choice, 'n')
      const rule = textAt(choice, 'rule')
      // A word that is not known must not mean all of them.
      if (keys.length > Number(n !== null) + Number(rule !== null)) {
        const message = `${path} takes a JSON object with "rule", "n" (a number), both or neither.`
        return answer(response, { refused: 'invalid', message })
      }
      answer(response, run({ rule, n }))
    },
  })
  return [
    {
      method: 'GET',
      path: DEAD,
      meaning: 'deliveries that were given up; ?rule= and ?after=<n>',
      answer: (response, _seconds, request) => {
        const { searchParams } = new URL(request.url ?? '/', 'http://admin')
        const after = searchParams.get('after') ?? '0'
        if (/^\d{1,15}$/.test(after))
          return answer(response, alerts.dead(searchParams.get('rule'), Number(after)))
        answer(response, { refused: 'invalid', message: 'after must be the n of a dead letter.' })
      },
    },
    order(`${DEAD}/resend`, 'sends dead letters again', (choice) => alerts.resend(choice)),
    order(`${DEAD}/drop`, 'drops dead letters', (choice) => alerts.drop(choice)),
  ]
}

function answer(response: ServerResponse, value: Answer, good = 200): void {
  if (isRefused(value)) sendJson(response, STATUSES[value.refused], { message: value.message })
  else sendJson(response, good, value)
}

function isRefused(value: Answer): value is Refused {
  return 'refused' in value
}

function tooLong(response: ServerResponse): void {
  const message = `A rule has at most ${BODY_BYTES_MAX} bytes.`
  answer(response, { refused: 'invalid', message })
}

/** The id behind the path of the rules, and the order behind it. */
function wordsOf(request: IncomingMessage): readonly [id: string, order: string] {
  const { pathname } = new URL(request.url ?? '/', 'http://admin')
  const [id = '', order = ''] = pathname.slice(RULES.length + 1).split('/')
  return [id, order]
}

/** Null: it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of request) {
    if (!(part instanceof Uint8Array)) continue
    bytes += part.length
    if (bytes <= BODY_BYTES_MAX) parts.push(part)
  }
  return bytes > BODY_BYTES_MAX ? null : Buffer.concat(parts).toString('utf8')
}
