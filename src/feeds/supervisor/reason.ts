import { messageOf } from '../../base/message-of.ts'
import { withoutSteering } from '../../base/steering.ts'
import { codePoints } from '../../engine/text.ts'

/** A peer's own words stand among them: a frame of megabytes may be one refusal. */
const CHARACTERS_MAX = 200

/** Why something failed, for logs and `/readyz`; long ones are cut. */
export function reasonOf(error: unknown): string {
  const message = messageOf(error)
  const shown = withoutSteering(codePoints(message, CHARACTERS_MAX), ' ')
  return shown.length < message.length ? `${shown}…` : shown
}
