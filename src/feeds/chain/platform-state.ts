import { EVENT_LAYOUTS } from './layouts/decode-event.ts'

/** Day of the newest change of the platform that this version reads. */
const PLATFORM_DAY = '2026-10-08'

/** One sentence: which state of the platform is read, and how it shows that there is a newer one. */
export function platformSentence(): string {
  const count = (program: string) =>
    EVENT_LAYOUTS.filter((layout) => layout.program === program).length
  return (
    `Events are read as the platform emits them since ${PLATFORM_DAY} (${count('pump')} of pump, ` +
    `${count('pump_amm')} of pump_amm); newer ones are counted (feed_unknown_events_total, ` +
    'feed_unknown_tails_total), and the log names each once.'
  )
}
