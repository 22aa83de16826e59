import { expect, test } from 'vitest'
import { eventLineText, type FeedEvent } from '../../src/events/event.ts'
import { replayOf } from '../feeds/peers/feed-run.ts'
import { transactionLines } from '../feeds/peers/rpc-forms.ts'
import { syntheticChain } from '../feeds/peers/synthetic-chain.ts'
import { newFolder } from '../new-folder.ts'
import { everyAnswer } from './every-answer.ts'
import { type Program, startProgram, until } from './program.ts'

const SETTINGS = { FEED: 'stdin', SOL_PRICE: 'fixed:150', CLOCK: 'event', RATE_LIMIT: 'off' }
/** These come 300 events later. */
const LATE = { from: 80, to: 90 }

async function feed(program: Program, events: readonly FeedEvent[]): Promise<void> {
  program.child.stdin?.write(events.map((event) => `${eventLineText(event)}\n`).join(''))
  await until('all events', async () => {
    const answer = await fetch(`${program.url}/readyz`)
    const { duplicates_total: again = 0, ...figures } = (await answer.json()) as Record<
      string,
      number
    >
    const { swaps_folded_total: swaps = 0, late_refused_total: late = 0 } = figures
    return swaps + late + again >= events.filter(({ type }) => type === 'swap').length ? true : null
  })
}

test('trades that come too late are in every answer a minute later, in their place', async () => {
  const { events } = replayOf(transactionLines(syntheticChain(71, 160)))
  const late = events.slice(LATE.from, LATE.to)
  const given = events.filter((event) => !late.includes(event))
  const program = await startProgram({ ...SETTINGS, DATA_DIR: newFolder() })
  await feed(program, [...given.slice(0, 380), ...late, ...given.slice(380)])
  await program.seen(/are put in their place/)
  await program.seen(/the history is in/)
  const inOrder = await startProgram(SETTINGS)
  await feed(inOrder, events)
  const expected = await everyAnswer(inOrder.url, events)
  const found = await everyAnswer(program.url, events)
  for (const [question, answer] of expected) expect(found.get(question), question).toBe(answer)
  expect(await program.end('SIGTERM')).toBe(0)
  expect(await inOrder.end('SIGTERM')).toBe(0)
})
