import { isAddress } from '../base/base58.ts'
import { readConfig } from '../config/config.ts'
import { ConfigError } from '../config/setting-values.ts'
import {
  type Asked,
  type Command,
  count,
  Exit,
  type Progress,
  progressOn,
  type Terminal,
  UsageError,
} from './command.ts'

/** Fetches slots into a folder, which is the composition root's to do; resolves with what the folder holds then. */
type Backfill = (asked: {
  readonly config: ReturnType<typeof readConfig>
  readonly folder: string
  readonly wanted:
    | { readonly from: Date | number; readonly to: Date | number }
    | { readonly mint: string }
  readonly progress: Progress
  readonly report: (reason: string) => void
  readonly signal: AbortSignal
}) => Promise<{ readonly events: number; readonly slot: number; readonly isWhole: boolean }>

/** `mintfeed backfill`. */
export function backfillCommand(backfill: Backfill): Command {
  return {
    summary: 'slots of the past, or one token, into a data folder, without the service',
    help:
      'Takes the settings of feeds and prices from the environment, as the service does. The\n' +
      'folder is empty, or holds what a run before has fetched: that goes on where it was. A\n' +
      'start of the service in it fetches what is behind --to, as after an outage.\n\n' +
      'With --mint it fetches all of one token, by the signatures of its curve and its pool: one\n' +
      'question a transaction, by SOLANA_RPC_URL. A folder that holds a market gets it among the\n' +
      'others, if its journal goes back to the first trade of the token.',
    flags: {
      from: { type: 'string', meaning: 'first slot, or a time like 2026-11-27T00:00:00Z' },
      to: { type: 'string', meaning: 'last slot, or a time' },
      mint: { type: 'string', meaning: 'a token, in place of slots' },
    },
    run: (asked, terminal) => run(asked, terminal, backfill),
  }
}

/** @throws UsageError, or StoreError when the folder cannot be used */
async function run(asked: Asked, terminal: Terminal, backfill: Backfill): Promise<number> {
  const { stderr } = terminal
  const wanted = wantedOf(asked)
  const ending = new AbortController()
  const stop = () => ending.abort()
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const progress = progressOn(stderr)
  try {
    const { events, slot, isWhole } = await backfill({
      ...{ config: configOf(terminal), folder: asked.folder, wanted, progress },
      report: (reason) => void stderr.write(`${reason}\n`),
      signal: ending.signal,
    })
    progress.end()
    stderr.write(`${asked.folder} holds ${count(events)} events up to slot ${slot}\n`)
    if (!isWhole) stderr.write('it does not hold all: run it again to go on\n')
    return isWhole ? Exit.good : Exit.bad
  } finally {
    progress.end()
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
}

/** @throws UsageError */
function configOf({ environment }: Terminal): ReturnType<typeof readConfig> {
  try {
    return readConfig([], environment)
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message)
    throw error
  }
}

/** @throws UsageError when the flags do not go together */
function wantedOf(asked: Asked): Parameters<Backfill>[0]['wanted'] {
  const { mint, from, to } = asked.flags
  if (mint === undefined) return { from: placeFlag(asked, 'from'), to: placeFlag(asked, 'to') }
  if (from !== undefined || to !== undefined)
    throw new UsageError('--mint fetches all of a token: leave out --from and --to.')
  if (typeof mint === 'string' && isAddress(mint)) return { mint }
  throw new UsageError(`--mint is "${mint}"; it must be the address of a token.`)
}

/** @throws UsageError when the flag is no slot and no time */
function placeFlag({ flags }: Asked, name: string): Date | number {
  const text = String(flags[name] ?? '')
  if (/^\d{1,15}$/.test(text)) return Number(text)
  const time = new Date(text)
  if (!Number.isNaN(time.getTime())) return time
  throw new UsageError(
    `--${name} is "${text}"; it must be a slot, or a time like 2026-11-27T00:00:00Z.`,
  )
}
