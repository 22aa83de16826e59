/** A stream on a real nats-server, written by hand. */
import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { onTestFinished } from 'vitest'
import {
  STREAM_DEFAULTS,
  type StreamSetting,
  streamSetting,
} from '../../src/config/stream-settings.ts'
import { Kind } from '../../src/store/format/journal-format.ts'
import { NatsStream } from '../../src/stream/nats-stream.ts'
import {
  MessageWriter,
  type StreamMessage,
  type StreamPlace,
} from '../../src/stream/stream-message.ts'
import { type NatsOptions, type NatsServers, startNats } from '../nats/nats-servers.ts'
import { newFolder } from '../new-folder.ts'

export const EPOCH = '11111111-1111-4111-8111-111111111111'
export const OTHER_EPOCH = '22222222-2222-4222-8222-222222222222'
const NAME = 'mintfeed'
const SUBJECT = 'mintfeed.events'
const EVENT_BYTES = 24

/** Where a stream begins. */
export const BEGINNING: StreamPlace = { epoch: EPOCH, index: 1, seq: 0, crc: 0 }

/** Messages of so many events each, behind a place; 0: a message with a frame of no event. */
export function messagesOf(events: readonly number[], place = BEGINNING): StreamMessage[] {
  const messages: StreamMessage[] = []
  const writer = new MessageWriter(place, (message) => messages.push(message))
  let { seq } = place
  for (const count of events) {
    if (count === 0) writer.addText(Kind.settings, seq, 0, '{}')
    else writer.add(Kind.event, seq, count, new Uint8Array(EVENT_BYTES * count).fill(seq))
    seq += count
    writer.end()
  }
  return messages
}

/** Where the message behind these goes on. */
export function placeBehind(messages: readonly StreamMessage[], epoch = EPOCH): StreamPlace {
  const last = messages.at(-1)
  if (last === undefined) return { ...BEGINNING, epoch }
  return { epoch, index: last.index + 1, seq: last.endSeq, crc: last.crc }
}

export class RealStream {
  readonly nats: NatsServers
  readonly setting: StreamSetting

  private constructor(nats: NatsServers) {
    this.nats = nats
    const settings = { ...STREAM_DEFAULTS, DATA_DIR: 'folder', NATS_STREAM: NAME }
    const replicas = String(nats.servers.length)
    this.setting = streamSetting({
      ...settings,
      NATS_URL: nats.urls.join(','),
      NATS_REPLICAS: replicas,
    })
  }

  static async start(options: Partial<NatsOptions> = {}): Promise<RealStream> {
    const nats = await startNats({ servers: 1, sync: 'always', folder: newFolder(), ...options })
    onTestFinished(() => nats.stopAll())
    return new RealStream(nats)
  }

  /** A connection as programs have it, which ends with the test. */
  async connected(): Promise<NatsStream> {
    const stream = await NatsStream.connect(this.setting, 'test')
    onTestFinished(() => stream.close())
    return stream
  }

  async make(): Promise<void> {
    await this.asked((manager) => manager.streams.add({ name: NAME, subjects: [SUBJECT] }))
  }

  /** Deletes the stream and makes it anew with these messages. */
  async remake(messages: readonly { readonly bytes: Uint8Array }[] = []): Promise<void> {
    await this.asked((manager) => manager.streams.delete(NAME).catch(() => false))
    await this.make()
    await this.publish(messages)
  }

  async publish(messages: readonly { readonly bytes: Uint8Array }[]): Promise<void> {
    const connection = await this.nats.connect()
    const client = jetstream(connection)
    for (const { bytes } of messages) await client.publish(SUBJECT, bytes)
    await connection.close()
  }

  async deleteMessage(seq: number): Promise<void> {
    await this.asked((manager) => manager.streams.deleteMessage(NAME, seq))
  }

  /** Takes everything before a sequence away, as age does. */
  async expire(before: number): Promise<void> {
    await this.asked((manager) => manager.streams.purge(NAME, { seq: before }))
  }

  /** Ends every consumer on the server; how many there were. */
  async deleteConsumers(): Promise<number> {
    return this.asked(async (manager) => {
      const consumers = await manager.consumers.list(NAME).next()
      for (const { name } of consumers) await manager.consumers.delete(NAME, name)
      return consumers.length
    })
  }

  async asked<T>(ask: (manager: JetStreamManager) => Promise<T>): Promise<T> {
    const connection = await this.nats.connect()
    try {
      return await ask(await jetstreamManager(connection))
    } finally {
      await connection.close()
    }
  }
}
