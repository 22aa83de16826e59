/** What a run did. */
export interface Outcome {
  readonly seed: number
  readonly trace: string
  readonly steps: number
  readonly virtualMs: number
  readonly tally: Tally
}

export type Tally = ReturnType<typeof noTally>

export function noTally() {
  return {
    events: 0,
    kills: 0,
    powerFailures: 0,
    stopsInOrder: 0,
    starts: 0,
    startsRefused: 0,
    diskFaults: 0,
    batchesRefused: 0,
    eventsLost: 0,
    snapshots: 0,
    compactorsKilled: 0,
    orphans: 0,
    clockSteps: 0,
    tokensRested: 0,
    tokensWoken: 0,
    reads: 0,
    messagesRead: 0,
    slowReaders: 0,
  }
}
