import { messageOf } from '../../base/errors.ts'
import { stripControlChars } from '../../base/safe-text.ts'
import { codePoints } from '../../events/text.ts'
import { withoutSecrets } from '../secrets.ts'

/** A peer's own words stand among them: a frame of megabytes may be one refusal. */
const CHARACTERS_MAX = 200

/** Why something failed, for logs and `/readyz`: without these secrets, and long ones are cut. */
export function reasonOf(error: unknown, secrets: readonly string[] = []): string {
  const message = withoutSecrets(messageOf(error), secrets)
  const shown = stripControlChars(codePoints(message, CHARACTERS_MAX), ' ')
  return shown.length < message.length ? `${shown}…` : shown
}
