import {
  CATCH_UP_BUFFER_BYTES,
  type LiveConnection,
  newConnection,
} from '../../src/server/live/connection/connection.ts'
import { LiveFailures } from '../../src/server/live/connection/live-failures.ts'
import {
  StateChannel,
  type StateChannelOptions,
  type StateParts,
} from '../../src/server/live/hub/state-channel.ts'
import { Topics } from '../../src/server/live/hub/topics.ts'
import type { EngineServer } from './engine-server.ts'
import { SILENT_OUTLET } from './silent-outlet.ts'

export const EVERY_MS = 5

/** A state that changes whenever it is looked at. */
export interface Counter {
  readonly words: { readonly event: string }
  step: number
  readonly position: number
}

export const newCounter = (topic: string): Counter => ({
  words: { event: topic },
  step: 0,
  position: 0,
})

/** What an acknowledgement begins with, before its topic. */
const ACKNOWLEDGED = '{"type":"subscribed","event":"'

/** A follower whose line the test holds in its hand. */
export class Reader {
  unreadBytes = 0
  /** Bytes that each whole state adds to what lies unread. */
  wholeBytes = 0
  readonly frames: string[] = []
  readonly names = new Set<string>()
  readonly connection: LiveConnection

  constructor(isSocket: boolean, client = '') {
    const socket = {
      ...SILENT_OUTLET,
      send: (frame: string) => void this.take(frame),
      getBufferedAmount: () => this.unreadBytes,
      subscribe: (name: string) => this.names.add(name),
      unsubscribe: (name: string) => this.names.delete(name),
    }
    const about = { id: 'me', isLocal: false, client, isSocket, socket, load: null }
    this.connection = newConnection(about, 0, 1)
  }

  /** Of an acknowledgement the topic alone is kept. */
  take(frame: string): void {
    const [topic] = frame.startsWith(ACKNOWLEDGED)
      ? frame.slice(ACKNOWLEDGED.length).split('"')
      : []
    this.frames.push(topic === undefined ? frame : `begun ${topic}`)
    const bytes = Buffer.byteLength(frame)
    if (frame.startsWith('whole')) this.unreadBytes += this.wholeBytes
    else if (bytes > CATCH_UP_BUFFER_BYTES) this.unreadBytes += bytes
  }

  /** What came since the last call. */
  taken(): string[] {
    return this.frames.splice(0)
  }
}

/** A channel of counters for readers: sockets, which are published to, and event streams. */
export function counterChannel(
  { wired }: EngineServer,
  readers: readonly Reader[],
  options: Partial<StateChannelOptions<Counter>> = {},
  parts: Partial<StateParts> = {},
) {
  const nothing = () => {}
  const { answers, streams } = wired
  const publish = (name: string, frame: string) => {
    for (const reader of readers) if (reader.names.has(name)) reader.take(frame)
    return true
  }
  const send = ({ isClosed, socket }: LiveConnection, frame: string) => {
    if (!isClosed) socket.send(frame)
  }
  const topics = new Topics({ publish }, nothing, send)
  const log = { info: nothing, warn: nothing, error: nothing }
  const failures = new LiveFailures({ log, onStep: nothing, send, close: nothing })
  const channel = new StateChannel<Counter>(
    {
      ...{ answers, streams, topics, failures, send, sendSnapshot: send },
      ...{ onStep: nothing, finishDepartures: nothing },
      ...parts,
    },
    {
      name: 'counters',
      refusal: { code: 'too_many_tables', what: 'counts' },
      ...{ maxOfConnection: 10, maxOfAddress: 10, max: 10, everyMs: EVERY_MS },
      due: (states) => states.keys(),
      advance: (state) => `change ${++state.step}`,
      ...options,
    },
  )
  const follow = ({ connection }: Reader, topic: string) =>
    channel.follow(connection, topic, () => newCounter(topic), wholeOf)
  return { topics, channel, follow }
}

export function wholeOf({ step }: Counter): string {
  return `whole ${step}`
}
