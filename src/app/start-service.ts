import { setFlagsFromString } from 'node:v8'
import { readAlertsFile } from '../alerts/alert-rules.ts'
import { messageOf } from '../base/errors.ts'
import { type Config, readConfig, SETTING_NAMES } from '../config/config.ts'
import { ConfigError } from '../config/setting-values.ts'
import { mistypedSettings } from '../config/typos.ts'
import { StoreError } from '../store/disk/failure.ts'
import { checkFeeds } from './feeds/feed-list.ts'
import { makeLog } from './log.ts'
import { Program } from './program.ts'
import { obeySignals } from './signals.ts'

/** Exit code for a bad flag, value, file or port. */
const EXIT_USAGE = 2
/** Exit code for a DATA_DIR that is in use, damaged or of a later version. */
const EXIT_DATA = 3
/**
 * Exit code where SEED_URL did not answer for minutes. Unlike the others it lets a supervisor start the service again,
 * which goes on where this one was: the instance may be back by then, and an empty market in its place would stay.
 */
const EXIT_AGAIN = 1

function printError(error: unknown): void {
  process.stderr.write(`mintfeed: ${messageOf(error)}\n`)
  // The stack of a fault of the program.
  if (error instanceof Error && error.cause instanceof Error)
    process.stderr.write(`${error.cause.stack}\n`)
}

function stopStart(code: number, error: unknown): never {
  printError(error)
  process.exit(code)
}

/** As `stopStart`, once the port is open: clients that connected meanwhile get a close frame (contract section 4). */
async function drainStart(program: Program, code: number, error: unknown): Promise<never> {
  printError(error)
  await program.drain()
  process.exit(code)
}

function configOrExit(args: readonly string[], role: 'service' | 'sequencer'): Config {
  try {
    const config = readConfig(args, process.env, role)
    checkFeeds(config)
    const { file, networks } = config.alerts
    if (file !== null && role === 'service') readAlertsFile(file, networks)
    return config
  } catch (error) {
    if (error instanceof ConfigError || error instanceof StoreError) stopStart(EXIT_USAGE, error)
    throw error
  }
}

/** Reads the configuration, runs the service, and drains it when a signal says so. */
export async function startService(args: readonly string[]): Promise<void> {
  enlargeSemiSpace()
  const { config, log } = begin(args, 'service')
  const program = new Program(config, log)
  await program.listen().catch((error: unknown) => drainStart(program, EXIT_USAGE, error))
  obeySignals(program, config.surface.tls !== null, log)
  await program.recover().catch(async (error: unknown) => {
    if (error instanceof StoreError) {
      const code = error.code === 'seed_unreached' ? EXIT_AGAIN : EXIT_DATA
      await drainStart(program, code, error)
    }
    await program.drain()
    throw error
  })
  await program.runFeeds()
}

/** `mintfeed sequence`: publishes what the feeds bring to the replicated stream, until a signal says so. */
export async function startSequencer(args: readonly string[]): Promise<void> {
  enlargeSemiSpace()
  const { config, log } = begin(args, 'sequencer')
  const { stream, dataDir } = config
  if (stream === null || dataDir === null) return
  const { Sequencer } = await import('./sequencer.ts')
  const sequencer = new Sequencer(config, stream, dataDir, log)
  await sequencer.listen().catch((error: unknown) => stopStart(EXIT_USAGE, error))
  obeySignals(sequencer, false, log)
  await sequencer.run().catch(async (error: unknown) => {
    await sequencer.drain()
    if (error instanceof StoreError) stopStart(EXIT_DATA, error)
    throw error
  })
}

function begin(args: readonly string[], role: 'service' | 'sequencer') {
  const config = configOrExit(args, role)
  const log = makeLog(config, process.stderr, process.env)
  for (const { variable, sentence } of mistypedSettings(process.env, SETTING_NAMES))
    log.warn({ variable }, sentence)
  return { config, log }
}

/**
 * V8 doubles the space of new objects, from 1 to 16 MiB, whenever as much as it holds has survived. After a start from
 * the bundle it stood at 8 MiB, and under an attack so many objects became old that the whole heap was marked twice a
 * second. With this factor the first step goes to 16 MiB. V8 reads the flag before each step, so it can be set while the
 * program runs.
 */
function enlargeSemiSpace(): void {
  setFlagsFromString('--semi-space-growth-factor=16')
}
