import { readFileSync } from 'node:fs'
import { jsonOf, listAt } from '../base/json-access.ts'
import type { Network } from '../base/public-address.ts'
import type { AlertRule } from '../protocol/alerts.ts'
import { MADE_PARTS, parseAlertRule } from '../protocol/requests/alert-rules.ts'
import { diskReason, StoreError } from '../store/disk/failure.ts'
import { refusedWebhook } from './webhook.ts'

/** Rules of all, those of the file among them: each has a delivery under way at most. */
export const ALERT_RULES_MAX = 200

/** Neither an id nor a secret is made for a rule of a file: both have to be the same at each start. */
const OF_FILE = { id: () => '', secret: null }

/**
 * The rules of ALERTS_FILE: `{"rules": [ … ]}`; `networks`: where webhooks may go beside public addresses.
 * @throws StoreError with a sentence that names the first rule that cannot be used
 */
export function readAlertsFile(file: string, networks: readonly Network[]): readonly AlertRule[] {
  const list = listAt(jsonOf(textOf(file)), 'rules')
  if (list === null) throw refused(file, 'it must be a JSON object with a list "rules"')
  if (list.length > ALERT_RULES_MAX)
    throw refused(file, `it has ${list.length} rules, at most ${ALERT_RULES_MAX} are allowed`)
  const rules = list.map((value, place) => {
    const rule = parseAlertRule(value, OF_FILE)
    if (!rule.ok) throw refused(file, `rule ${place + 1}: ${rule.error.message}`)
    if (rule.value.id === '') throw refused(file, `rule ${place + 1} has no id`)
    const never = refusedWebhook(rule.value, networks)
    if (never !== null) throw refused(file, `rule ${place + 1}: ${never}`)
    return rule.value
  })
  const ids = rules.map(({ id }) => id)
  const twice = ids.find((id, place) => ids.indexOf(id) !== place)
  if (twice !== undefined) throw refused(file, `two rules have the id "${twice}"`)
  return rules
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw refused(file, diskReason(error))
  }
}

function refused(file: string, reason: string): StoreError {
  return new StoreError(
    'alerts',
    `ALERTS_FILE ${file} cannot be used: ${reason.replace(/\.$/, '')}.`,
  )
}

/** A rule as it is stored, its secret too. */
export function storedRule({ id, enabled, to, shown }: AlertRule): string {
  const { name, when } = shown
  const { live, webhook } = to
  return JSON.stringify({ id, name, when, to: { live, ...(webhook && { webhook }) }, enabled })
}

/**
 * A rule that was stored.
 * @throws StoreError when this version does not know it
 */
export function ruleOf(stored: string): AlertRule {
  const rule = parseAlertRule(jsonOf(stored), MADE_PARTS)
  if (rule.ok) return rule.value
  throw new StoreError('alerts', `A stored alert rule cannot be used: ${rule.error.message}`)
}
