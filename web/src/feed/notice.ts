import { signal } from '@preact/signals'
import { nextBeat } from '../frame/beat.ts'

/** How often the service is asked, in ms. */
const EVERY_MS = 15_000
/** One that hangs says nothing, in ms. */
const WITHIN_MS = 5_000

/** What the service says that a reader of its figures has to know, in sentences; null: nothing. */
export const notice = signal<string | null>(null)

/** Asks as long as the page is there; a hidden page asks again when it is seen. */
export async function followNotice(): Promise<void> {
  for (;;) {
    await ask()
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
    await nextBeat()
  }
}

async function ask(): Promise<void> {
  try {
    const answer = await fetch('/readyz', { signal: AbortSignal.timeout(WITHIN_MS) })
    const value: unknown = await answer.json()
    const said =
      typeof value === 'object' && value !== null && 'notice' in value ? value.notice : null
    notice.value = typeof said === 'string' ? said : null
  } catch {
    // That the service is out of reach is told by the line; what it said last still holds of what is shown.
  }
}
