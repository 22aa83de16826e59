import {
  type Command,
  count,
  type Progress,
  progressOn,
  type StreamReport,
  type Terminal,
} from './command.ts'

/** What the commands need of NATS and of other instances, which is the composition root's to give. */
export interface Streams {
  /**
   * Reads the stream of the settings into a folder of its own, as the journal of a copy; the folder is gone once `use`
   * has ended, or the process.
   * @throws ConfigError; StoreError when the stream cannot be read at all
   */
  read(
    asked: {
      readonly environment: Terminal['environment']
      /** Is the journal to be folded? Then what was before a stream that has lost its beginning is fetched from SEED_URL. */
      readonly isFolded: boolean
      readonly progress: Progress
    },
    use: (folder: string, stream: StreamReport) => number | Promise<number>,
  ): Promise<number>
  /** Where a folder stands in the stream that it is a copy of; null: it is none, or no NATS_URL is given. */
  position(
    folder: string,
    environment: Terminal['environment'],
    held: { readonly seq: number; readonly epoch: string },
  ): Promise<
    | {
        readonly name: string
        /** Sequence of the newest message that it holds to its end; 0: of none. */
        readonly at: number
        readonly last: number
        /** Events that it lacks. */
        readonly lag: number
      }
    | { readonly name: string; readonly reason: string }
    | null
  >
  /**
   * Fetches a snapshot of another instance, whose seq is from `from` on and not behind what `reached` says, into a
   * folder that is gone once `use` has ended; a sentence in its place where there is none.
   * @throws ConfigError; StoreError when the instance cannot be asked
   */
  snapshot<T>(
    asked: {
      readonly url: string
      readonly environment: Terminal['environment']
      readonly epoch: string
      readonly from: number
      readonly reached: () => number
    },
    use: (folder: string) => T,
  ): Promise<T | string>
}

const SECONDS_MS = 1_000

/** A command on a folder that works on the stream as well, read into a folder. */
export function ofStream(command: Command, streams: Streams | null, isFolded: boolean): Command {
  if (streams === null) return command
  const { run } = command
  return {
    ...command,
    help:
      `${command.help}\n\nWith --stream it reads the stream that NATS_URL, NATS_CREDS and NATS_STREAM name into a folder of\n` +
      'TMPDIR, which needs room for it, and removes that. Exit code 1 where a message is damaged.',
    flags: {
      ...command.flags,
      stream: { type: 'boolean', meaning: 'the replicated stream in place of a data folder' },
    },
    run: (asked, terminal) => {
      if (asked.flags.stream !== true) return run(asked, terminal)
      const { environment, stderr } = terminal
      const use = (folder: string, stream: StreamReport) =>
        run({ ...asked, folder, stream }, terminal)
      return streams.read({ environment, isFolded, progress: progressOn(stderr) }, use)
    },
  }
}

/** Of a stream, for a person. */
export function streamLines(stream: StreamReport): string[] {
  const { first, last, messages, bytes, seqs, epoch, leader, followers, writer, damage } = stream
  const copies = followers.map(({ name, isCurrent, lag }) =>
    isCurrent ? `${name} is current` : `${name} is not current, ${count(lag)} behind`,
  )
  const led = leader === null ? 'no leader now' : `led by ${leader}`
  const held = seqs === null ? '' : `  seq ${count(seqs.from)} to ${count(seqs.to)}  epoch ${epoch}`
  return [
    `stream ${stream.name} of ${stream.servers.join(', ')}, nats-server ${stream.version}`,
    `  created ${stream.created}, on ${stream.replicas} of the servers, kept for ${keepText(stream.keepMs)}`,
    `  messages ${count(first)} to ${count(last)}, ${count(messages)} of them  ${count(bytes)} bytes${held}`,
    // A server before 2.10 says nothing of itself where it is alone.
    ...(leader === null && stream.replicas === 1 ? [] : [`  ${[led, ...copies].join('; ')}`]),
    writer === null ? '  nobody holds the lease' : `  the lease is held by ${writer}`,
    `  ${damage ?? 'every message is whole'}`,
  ]
}

function keepText(ms: number): string {
  if (ms === 0) return 'ever'
  const hours = ms / (3_600 * SECONDS_MS)
  return Number.isInteger(hours) ? `${hours} h` : `${count(ms / SECONDS_MS)} s`
}

/** Where a folder stands, for a person. */
export function positionLine(
  position: NonNullable<Awaited<ReturnType<Streams['position']>>>,
): string {
  const of = `copy of the stream ${position.name}`
  if ('reason' in position) return `${of}: ${position.reason}`
  const { at, last, lag } = position
  const behind = `${count(last - at)} messages and ${count(lag)} events behind`
  return `${of}: at message ${count(at)} of ${count(last)}, ${last === at ? 'all of it' : behind}`
}
