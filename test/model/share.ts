import { expect, test } from 'vitest'
import { DEFAULT_KINDS, KINDS } from '../oracle/kinds.ts'
import { MODEL_EVENTS, runShare, SHARES } from './run.ts'

/** A second of time for every 500 events, several times what they take, and what a busy machine needs to begin. */
const TIMEOUT_MS = 300_000 + MODEL_EVENTS * 2

/** One file's part of the events, so that the files run side by side. */
export function modelTest(share: number): void {
  test(`engine and oracle answer alike after every event, part ${share + 1} of ${SHARES}`, {
    timeout: TIMEOUT_MS,
  }, () => {
    const tally = runShare(share)
    console.log(
      `model part ${share + 1} of ${SHARES}: ${tally.events} events of ` +
        `${tally.histories} histories checked, ${tally.fullReads} of them with every read, ` +
        `${tally.rests} tokens put to rest and ${tally.wakings} woken; ` +
        `of each kind: ${KINDS.map((kind) => `${kind} ${tally.kinds[kind]}`).join(', ')}; ` +
        `${tally.untakenLines} reserves and balances not taken`,
    )
    const on = KINDS.filter((kind) => DEFAULT_KINDS[kind] > 0)
    for (const kind of on)
      expect(tally.kinds[kind], kind).toBeGreaterThan(MODEL_EVENTS / SHARES / 4_000)
    expect(tally.wakings).toBeGreaterThan(MODEL_EVENTS / 1_000)
    expect(tally.events).toBeGreaterThanOrEqual(MODEL_EVENTS / SHARES)
  })
}
