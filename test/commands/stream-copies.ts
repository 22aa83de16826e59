/** A stream in a real nats-server, its copies as folders, and the admin surface of one, in this process. */
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { fetchSnapshot, positionInStream, readStream } from '../../src/app/stream-folder.ts'
import { folderCommands, runCommand } from '../../src/commands/run-command.ts'
import { readConfig } from '../../src/config/config.ts'
import { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { SeedSource } from '../../src/seed/seed-source.ts'
import { startAdmin } from '../../src/server/admin/admin-server.ts'
import { compact } from '../../src/store/compaction/compaction.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { runToEnd } from '../../src/store/disk/steps.ts'
import { listDataFiles } from '../../src/store/folder/data-folder.ts'
import { bootId } from '../../src/store/folder/process-lock.ts'
import { readSegmentHeader } from '../../src/store/format/journal-format.ts'
import { Journal } from '../../src/store/journal/journal.ts'
import { JournalCopy } from '../../src/store/journal/journal-copy.ts'
import { JournaledEngine } from '../../src/store/journal/journaled-engine.ts'
import { archivedEngine } from '../../src/store/snapshot/tape-archive.ts'
import { NatsStream } from '../../src/stream/nats-stream.ts'
import { MessageWriter, readMessage } from '../../src/stream/stream-message.ts'
import { newFolder } from '../new-folder.ts'
import { START_SECOND } from '../oracle/fixtures.ts'
import { messageLog } from '../stream/message-log.ts'
import { crowdOfLines, into } from './folders.ts'

export const ADMIN_TOKEN = 'a-token-of-some-length'
/** Behind all events: a copy that folds them later has later clocks. */
const NOW = START_SECOND + 3_600
const EVENTS_PER_MESSAGE = 20

/** The messages that a sequencer would publish of some events. */
export function messagesOf(
  events: readonly FeedEvent[],
  epoch: string = randomUUID(),
  eventsPerMessage = EVENTS_PER_MESSAGE,
) {
  const messages: Uint8Array<ArrayBuffer>[] = []
  const writer = new MessageWriter({ epoch, index: 1, seq: 0, crc: 0 }, ({ bytes }) =>
    messages.push(bytes),
  )
  const log = messageLog(writer)
  const engine = new Engine({ clock: 'wall' })
  engine.settle({ clock: 'wall', lateSlots: 32, takesAhead: true })
  engine.advance(NOW)
  const journaled = new JournaledEngine(engine, log)
  journaled.settings()
  for (let from = 0; from < events.length; from += eventsPerMessage)
    journaled.events(events.slice(from, from + eventsPerMessage))
  return messages
}

/** Six hundred events; most are trades of many wallets, some of them late. */
export function someMessages(): Uint8Array<ArrayBuffer>[] {
  return messagesOf(crowdOfLines(7, 568))
}

export async function publishedIn(
  natsUrl: string,
  messages: readonly Uint8Array[],
): Promise<{ stream: NatsStream; environment: Record<string, string> }> {
  const NATS_STREAM = `s${randomUUID()}`
  const environment = { NATS_URL: natsUrl, NATS_STREAM }
  const { stream: setting } = readConfig([], { ...environment, FEED: 'nats' })
  if (setting === null) throw new Error('FEED=nats has a stream')
  const stream = await NatsStream.connect(setting, 'test')
  onTestFinished(() => stream.close())
  await stream.make('mintfeed: a simulated market')
  for (const [place, bytes] of messages.entries()) await stream.publish(bytes, place)
  return { stream, environment }
}

/** A replica's folder, without the replica. */
export class Copy {
  readonly folder = newFolder()
  readonly #engine = new Engine({ clock: 'wall' })
  readonly #journal: Journal
  #newestSeq = 0

  readonly #epoch: string

  constructor(epoch: string, clockSeconds = NOW) {
    this.#epoch = epoch
    fs.writeFileSync(join(this.folder, 'stream'), 'mintfeed\n')
    this.#engine.advance(clockSeconds)
    const onFailure = (failure: Error) => {
      throw failure
    }
    const about = { disk: new NodeDisk(), folder: this.folder, fsync: 'off' as const, epoch }
    this.#journal = new Journal(
      { ...about, boot: bootId(), onFailure },
      { seq: 0, crc: 0, segment: 0 },
    )
  }

  take(messages: readonly Uint8Array<ArrayBuffer>[]): this {
    const copy = new JournalCopy(this.#engine, this.#journal)
    for (const bytes of messages) {
      const { seq } = copy
      const message = readMessage(bytes, indexOf(bytes))
      copy.write(message)
      copy.fold([message], seq)
    }
    return this
  }

  snapshot(): this {
    runToEnd(
      compact({
        disk: new NodeDisk(),
        folder: this.folder,
        untilSegment: this.#journal.boundary(),
        newEngine: () => archivedEngine(new NodeDisk(), this.folder),
        keepsJournal: true,
      }),
    )
    this.#newestSeq = listDataFiles(new NodeDisk(), this.folder).snapshots.at(-1)?.number ?? 0
    return this
  }

  close(): this {
    this.#journal.close()
    return this
  }

  /** Opens its admin surface; an order of a snapshot makes what `order` makes. */
  async serve(order: () => void = () => {}): Promise<string> {
    const { tape, dormant } = this.#engine.state
    const source = new SeedSource({
      ...{ folder: this.folder, epoch: this.#epoch, newestSeq: () => this.#newestSeq },
      ...{ tape, dormantTape: dormant.tape },
    })
    const log = { info() {}, warn() {}, error() {} }
    const admin = await startAdmin({
      ...{ host: '127.0.0.1', port: 0, token: ADMIN_TOKEN, log },
      source: {
        metrics: async () => '',
        readiness: () => ({ statusCode: 200, fields: {} }),
        stalls: () => [],
        snapshot: async () => {
          order()
          return 'made'
        },
        seed: () => source,
        reloadTls: null,
      },
    })
    onTestFinished(() => admin.stop())
    return `http://127.0.0.1:${admin.port}`
  }
}

function indexOf(bytes: Uint8Array<ArrayBuffer>): number {
  const header = readSegmentHeader(bytes)
  if (header === null || header === 'newer') throw new Error('the message is whole')
  return header.index
}

/** Runs a command that knows streams; of what it reads nothing may stay. */
export async function askOfStream(
  environment: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<{ code: number; output: string; errors: string }> {
  const output: string[] = []
  const errors: string[] = []
  const streams = { read: readStream, position: positionInStream, snapshot: fetchSnapshot }
  const terminal = { stdin: process.stdin, stdout: into(output), stderr: into(errors), environment }
  const scratch = newFolder()
  vi.stubEnv('TMPDIR', scratch)
  try {
    const code = await runCommand(args, terminal, folderCommands(streams))
    return { code, output: output.join(''), errors: errors.join('') }
  } finally {
    vi.unstubAllEnvs()
    expect(fs.readdirSync(scratch)).toEqual([])
  }
}
