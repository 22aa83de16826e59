import type { Fault } from '../fault.ts'

/** Faults of the client package: streams that stop, losses that nobody is told of, waits. */
export const CLIENT_FAULTS: readonly Fault[] = [
  {
    name: 'client: a token that comes back to a followed table is followed no more',
    file: 'client/src/live/table-trades.ts',
    find: '      this.#follows.delete(mint)\n',
    replace: '',
    tests: ['test/client/streams.test.ts'],
  },
  {
    name: 'client: who wants no snapshot at the beginning is told of no loss',
    file: 'client/src/live/event-follow.ts',
    find: 'else if (this.#cursor !== null || this.#parts.wantsSnapshot)',
    replace: 'else if (this.#parts.wantsSnapshot)',
    tests: ['test/client/streams.test.ts'],
  },
  {
    name: 'client: leaving a wallet silences the mint of the same name',
    file: 'client/src/live/requests.ts',
    find: '        left === channel &&\n',
    replace: '',
    tests: ['test/client/bad-service.test.ts'],
  },
  {
    name: 'client: a connection that takes long to open is pinged, which ends it',
    file: 'client/src/live/lane.ts',
    find: 'else if (this.#isOpen) this.#ping()',
    replace: 'else this.#ping()',
    tests: ['test/client/patience.test.ts'],
  },
  {
    name: 'client: waits between attempts become shorter',
    file: 'client/src/backoff.ts',
    find: 'firstMs * 2 ** this.#attempts',
    replace: 'firstMs / 2 ** this.#attempts',
    tests: ['test/client/backoff.test.ts'],
  },
  {
    name: 'client: requests that were answered count as waiting',
    file: 'client/src/http.ts',
    find: 'this.#requests -= 1',
    replace: '',
    tests: ['test/client/many-requests.test.ts'],
  },
  {
    name: 'client: waits for the rate limit count as attempts that failed',
    file: 'client/src/http.ts',
    find: 'if (tried.afterMs === null) failures += 1',
    replace: 'failures += 1',
    tests: ['test/client/many-requests.test.ts'],
  },
  {
    name: 'client: one that is closed between two attempts goes on trying',
    file: 'client/src/live/lane.ts',
    find: 'if (this.#retry !== null) clearTimeout(this.#retry)',
    replace: '',
    tests: ['test/client/patience.test.ts'],
  },
  {
    name: 'client: a message of another epoch with a low number is a repeat',
    file: 'client/src/live/event-follow.ts',
    find: 'epoch === cursor.epoch && seq <= cursor.seq',
    replace: 'seq <= cursor.seq',
    tests: ['test/client/foreign-frames.test.ts'],
  },
  {
    name: 'client: any frame is taken for the snapshot that is waited for',
    file: 'client/src/live/event-follow.ts',
    find: "frame.kind === 'snapshot' && this.#phase === 'snapshot'",
    replace: "this.#phase === 'snapshot'",
    tests: ['test/client/foreign-frames.test.ts'],
  },
  {
    name: 'client: a snapshot that nobody asked for is taken',
    file: 'client/src/live/event-follow.ts',
    find: "frame.kind === 'snapshot' && this.#phase === 'snapshot'",
    replace: "frame.kind === 'snapshot'",
    tests: ['test/client/foreign-frames.test.ts'],
  },
  {
    name: 'client: without sockets every stream that is refused is reported',
    file: 'client/src/live/lanes.ts',
    find: 'if (!this.#isSocketMissed) ',
    replace: '',
    tests: ['test/client/options.test.ts'],
  },
]
