import { type Config, readConfig } from '../config/config.ts'
import { ConfigError, durationMs, sizeBytes } from '../config/setting-values.ts'
import type { EventSink, Feed } from '../events/event-sink.ts'
import type { RawFrames } from '../feeds/raw-frames.ts'
import { FrameFiles } from '../feeds/recorder/frame-files.ts'
import {
  type Asked,
  type Command,
  count,
  Exit,
  refusedOutput,
  type Terminal,
  UsageError,
} from './command.ts'

const DEFAULT_FOLDER = 'recordings'
const DEFAULT_FILE_SIZE = '64mb'
const DEFAULT_FILES = '20'
const FILES_MAX = 100_000

/** The live feeds of a configuration as one, whose raw frames go to `frames` too; null when it names none. */
type RecordedFeed = (
  config: Config,
  frames: RawFrames,
  report: (who: string, reason: string) => void,
) => Promise<Feed | null>

/** What is recorded is not folded. */
const NOWHERE: EventSink = { events: () => {}, records: () => {} }

/** `mintfeed record`; the feeds are those of the composition root. */
export function recordCommand(recordedFeed: RecordedFeed): Command {
  return {
    summary: 'raw frames of live feeds to files that FEED=replay:<file> reads',
    help:
      'Takes the settings of the feeds from the environment, as the service does, and folds\n' +
      'nothing. Ctrl-C ends it. Several files are one recording: cat puts them together.\n' +
      'Frames are kept as they came: what somebody else must not see, like the mints\n' +
      'you follow, may be among them; keys and tokens are not.',
    needsFolder: false,
    flags: {
      feed: { type: 'string', meaning: 'yellowstone, solana, pumpportal; default FEED' },
      out: { type: 'string', meaning: `folder of the files; default ${DEFAULT_FOLDER}` },
      'file-size': {
        type: 'string',
        meaning: `a file ends at this size; default ${DEFAULT_FILE_SIZE}`,
      },
      files: {
        type: 'string',
        meaning: `files that are kept, the oldest goes; default ${DEFAULT_FILES}`,
      },
      for: { type: 'string', meaning: 'ends after this time, like 10m; default: with Ctrl-C' },
    },
    run: (asked, terminal) => record(asked, terminal, recordedFeed),
  }
}

/** @throws UsageError, or StoreError when the folder cannot be made */
async function record(asked: Asked, terminal: Terminal, recordedFeed: RecordedFeed) {
  const { stderr } = terminal
  const failures: Error[] = []
  const { config, endMs, fileBytesMax, filesMax, folder } = settingsOf(asked, terminal)
  let files: FrameFiles | null = null
  const frames: RawFrames = { frame: (name, raw) => files?.frame(name, raw) }
  const report = (who: string, reason: string) => stderr.write(`${who}: ${reason}\n`)
  const feed = await recordedFeed(config, frames, report)
  if (feed === null)
    throw new UsageError(
      'FEED names no live feed; --feed must be yellowstone, solana or pumpportal.',
    )
  // Only now: it makes the folder.
  const onFailure = (error: Error) => {
    failures.push(error)
    feed.stop()
  }
  try {
    files = new FrameFiles({ folder, fileBytesMax, filesMax, clockMs: Date.now, onFailure })
  } catch (error) {
    throw refusedOutput(folder, error)
  }
  await untilEnded(feed, endMs, stderr)
  await files.close()
  printSummary(files, failures.length > 0, stderr)
  if (failures.length > 0) throw refusedOutput(folder, failures[0])
  return Exit.good
}

/** Runs until a signal, the time, or the feed's own end. */
async function untilEnded(feed: Feed, endMs: number | null, stderr: Terminal['stderr']) {
  const stop = () => feed.stop()
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const timer = endMs === null ? undefined : setTimeout(stop, endMs)
  stderr.write(`recording ${feed.name}, Ctrl-C ends it\n`)
  try {
    await feed.start(NOWHERE)
  } finally {
    clearTimeout(timer)
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
}

function printSummary(
  { frames, dropped, removed, paths }: FrameFiles,
  hasFailed: boolean,
  stderr: Terminal['stderr'],
): void {
  const recorded = `${count(frames)} frames recorded`
  // What was on its way to the disk is gone.
  stderr.write(hasFailed ? `at most ${recorded}, the newest are missing\n` : `${recorded}\n`)
  if (dropped > 0) stderr.write(`${count(dropped)} frames came faster than the disk takes them\n`)
  if (removed > 0) stderr.write(`${count(removed)} older files were removed\n`)
  for (const path of paths) stderr.write(`${path}\n`)
}

/** @throws UsageError */
function settingsOf({ flags }: Asked, { environment }: Terminal) {
  const text = (name: string, fallback: string) => String(flags[name] || fallback)
  const files = Number(text('files', DEFAULT_FILES))
  if (!Number.isInteger(files) || files < 1 || files > FILES_MAX)
    throw new UsageError(
      `--files is "${flags.files}"; it must be an integer from 1 to ${FILES_MAX}.`,
    )
  try {
    return {
      config: readConfig(flags.feed === undefined ? [] : ['--feed', text('feed', '')], environment),
      folder: text('out', DEFAULT_FOLDER),
      endMs: flags.for === undefined ? null : durationMs('--for', text('for', '')),
      fileBytesMax: sizeBytes('--file-size', text('file-size', DEFAULT_FILE_SIZE)),
      filesMax: files,
    }
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message)
    throw error
  }
}
