import { once } from 'node:events'
import fs from 'node:fs'
import { createServer, type Server } from 'node:net'
import os from 'node:os'
import { join } from 'node:path'
import { readAlertsFile } from '../alerts/alert-rules.ts'
import { checkFeeds } from '../app/feeds/feed-list.ts'
import { messageOf } from '../base/errors.ts'
import { systemText } from '../base/this-process.ts'
import { Exit, type Terminal } from '../commands/command.ts'
import { bad, checkFolder, type Finding, good, warn } from '../commands/folder-checks.ts'
import { type Config, readConfig, SETTING_NAMES } from '../config/config.ts'
import { ConfigError } from '../config/setting-values.ts'
import { marketOf } from '../config/source-settings.ts'
import { isLoopback } from '../config/surface.ts'
import { mistypedSettings } from '../config/typos.ts'
import { platformSentence } from '../feeds/chain/layouts/decode-event.ts'
import { descriptorLimit, RESERVED_DESCRIPTORS } from '../figures/process-figures.ts'
import { whyNotListening } from '../server/sockets/apps.ts'
import { ClientAddresses } from '../server/sockets/client-address.ts'
import { checkTlsFiles } from '../server/sockets/tls-files.ts'
import { checkLiveFeeds } from './live-checks.ts'
import { checkStream } from './stream-checks.ts'

/** A certificate that ends sooner gets a warning. */
const CERTIFICATE_DAYS = 14
const DAY_S = 86_400
const PLAIN_ADMIN_PORT =
  'It speaks plain HTTP, and others can reach it: who listens on the way has ADMIN_TOKEN; use a tunnel, ' +
  'or a proxy with TLS.'

/** Looks at what `mintfeed sequence` would meet, in place of the service. */
const SEQUENCE = '--sequence'

const HELP =
  'mintfeed doctor: what the service would meet with the same variables and flags\n\n' +
  'Looks at ports, data folder, disk, open files, memory, clock, TLS files, feeds and ALERTS_FILE, and says\n' +
  'what to do about each; asks the servers of live feeds one question each, for 5 seconds at most,\n' +
  'and reads what the data folder holds for 2 seconds at most (inspect reads all of it).\n' +
  'With FEED=nats it asks each server of NATS_URL for login, version, clock and stream; with --sequence\n' +
  'it does that too, and looks at what "mintfeed sequence" would meet.\n' +
  'Writes a small file into the data folder, as a start does, removes it, and changes nothing else.\n' +
  'Exit code 0: nothing stands in the way; 2: a setting; 3: the data folder;\n' +
  '1: anything else for which it would not start, or not for long, or should not.\n'

/** `mintfeed doctor`: takes the flags of the service itself; returns the exit code. */
export async function doctor(args: readonly string[], terminal: Terminal): Promise<number> {
  if (args.includes('--help')) {
    terminal.stdout.write(HELP)
    return Exit.good
  }
  const role = args.includes(SEQUENCE) ? 'sequencer' : 'service'
  const settings = args.filter((arg) => arg !== SEQUENCE)
  const findings = await examine(settings, terminal.environment, role)
  terminal.stdout.write(findingsText(findings))
  return exitCodeOf(findings)
}

async function examine(
  args: readonly string[],
  environment: Terminal['environment'],
  role: 'service' | 'sequencer',
): Promise<Finding[]> {
  const isSequencer = role === 'sequencer'
  const mistyped = mistypedSettings(environment, SETTING_NAMES).map(({ sentence }) =>
    warn('settings', sentence),
  )
  let config: Config
  try {
    config = readConfig(args, environment, role)
  } catch (error) {
    if (error instanceof ConfigError)
      return [bad('settings', error.message, Exit.usage), ...mistyped]
    throw error
  }
  const { surface, dataDir, stream } = config
  return [
    good('settings', 'They can be read.'),
    ...mistyped,
    checkNode(process.version),
    ...(await checkPorts([
      ...(isSequencer ? [] : [{ name: 'PORT', host: config.host, port: config.port }]),
      ...(surface.admin === null ? [] : [{ name: 'ADMIN_PORT', ...surface.admin }]),
    ])),
    ...checkFolder(dataDir, marketOf(config.feeds)),
    checkDescriptors(descriptorLimit(), surface.limits.sockets, RESERVED_DESCRIPTORS),
    checkMemory(config.tapeMemoryBytes + config.positionsMemoryBytes),
    checkClock(newestFileMs(dataDir)),
    checkBacklog(),
    ...(await checkTls(surface.tls)),
    checkFeedsOf(config),
    ...(isSequencer ? [] : checkAlerts(config.alerts)),
    good('platform', platformSentence()),
    ...(await checkLiveFeeds(config)),
    ...(stream === null ? [] : await checkStream(stream, isSequencer)),
    ...checkProxies(config.trustProxy),
    ...checkExposure(config),
  ]
}

/** Unix milliseconds of the newest file in the folder, null when there is none that can be seen. */
function newestFileMs(folder: string | null): number | null {
  if (folder === null) return null
  try {
    const times = fs.readdirSync(folder).map((name) => {
      return fs.statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
    })
    return times.length === 0 ? null : Math.max(...times)
  } catch {
    // checkFolder reports what is wrong with the folder.
    return null
  }
}

async function checkTls(tls: Config['surface']['tls']): Promise<Finding[]> {
  if (tls === null) return []
  // Only now: it loads the library under the sockets.
  const { secureApp } = await import('../server/sockets/tls-files.ts')
  try {
    const days = Math.floor((checkTlsFiles(tls) - Date.now() / 1000) / DAY_S)
    secureApp(tls).close()
    // A start takes it, and no client does.
    if (days < 0) return [bad('TLS', 'The certificate has ended: renew it.')]
    if (days < CERTIFICATE_DAYS)
      return [warn('TLS', `The certificate ends in ${days} days: renew.`)]
    return [good('TLS', `The certificate is good for ${days} days.`)]
  } catch (error) {
    return [bad('TLS', messageOf(error), Exit.usage)]
  }
}

function checkFeedsOf(config: Config): Finding {
  const names = config.feeds.map(({ kind }) => kind).join(', ')
  try {
    checkFeeds(config)
    return good('feeds', `${names} can be started.`)
  } catch (error) {
    if (error instanceof ConfigError) return bad('feeds', error.message, Exit.usage)
    throw error
  }
}

function checkAlerts({ file, networks }: Config['alerts']): Finding[] {
  if (file === null) return []
  try {
    const { length } = readAlertsFile(file, networks)
    return [good('alerts', `The rules of ALERTS_FILE can be used: ${length}.`)]
  } catch (error) {
    return [bad('alerts', messageOf(error), Exit.usage)]
  }
}

/** What is worth a second look when others than this machine can reach the ports. */
function checkExposure({ host, rateLimit, surface: { admin } }: Config): Finding[] {
  return [
    ...(isLoopback(host) || rateLimit !== null
      ? []
      : [warn('rate limit', 'It is off, and others can reach the port: set RATE_LIMIT.')]),
    ...(admin === null || isLoopback(admin.host) ? [] : [warn('admin port', PLAIN_ADMIN_PORT)]),
  ]
}

function checkProxies(trustProxy: Config['trustProxy']): Finding[] {
  try {
    new ClientAddresses(trustProxy)
  } catch (error) {
    return [bad('proxies', messageOf(error), Exit.usage)]
  }
  if (!trustProxy.some((entry) => entry.endsWith('/0'))) return []
  return [bad('proxies', 'TRUST_PROXY trusts everybody: name your proxies only.')]
}

/** Where the service would listen, by the name of its setting. */
interface ListenedPort {
  readonly name: string
  readonly host: string
  readonly port: number
}

/** Checks that all can be opened at once: two settings may name one port. */
async function checkPorts(ports: readonly ListenedPort[]): Promise<Finding[]> {
  const taken: { readonly server: Server; readonly of: ListenedPort }[] = []
  const findings: Finding[] = []
  for (const one of ports) {
    const server = createServer()
    const refusal = await refusalOf(server, one)
    if (refusal === null) taken.push({ server, of: one })
    const same = taken.find(({ of }) => of !== one && of.port === one.port)
    findings.push(findingOf(one, refusal, same?.of ?? null))
  }
  for (const { server } of taken) await once(server.close(), 'close')
  return findings
}

/** The error with which a server does not listen; null when it does. */
function refusalOf(
  server: Server,
  { host, port }: ListenedPort,
): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    server.once('error', resolve)
    server.listen({ host, port, exclusive: true }, () => resolve(null))
  })
}

function findingOf(
  { name, host, port }: ListenedPort,
  refusal: NodeJS.ErrnoException | null,
  same: ListenedPort | null,
): Finding {
  if (refusal === null) return good(name, `${host}:${port} is free.`)
  const cannot = `${host}:${port} cannot be had,`
  if (refusal.code !== 'EADDRINUSE')
    return bad(
      name,
      `${cannot} ${whyNotListening(refusal, name)}: give another address or ${name}.`,
    )
  return same === null
    ? bad(name, `${cannot} it is in use: stop what uses it, or give another ${name}.`)
    : bad(name, `${cannot} it is that of ${same.name}: give another ${name}.`, Exit.usage)
}

const MEBIBYTE = 2 ** 20
/** What the process needs beside the history in memory. */
const MEMORY_BESIDE_BYTES = 512 * MEBIBYTE
/** Clients that come back at once after a restart wait here to be accepted. */
const BACKLOG_WANTED = 1024
/** Before this the clock was never set. */
const BUILT_AT_MS = Date.UTC(2025, 0, 1)
const NODE_MAJOR = 22

/** Which Node runs: the sockets' binaries are made for one major version. */
export function checkNode(version: string): Finding {
  const major = Number(version.slice(1).split('.')[0])
  if (major === NODE_MAJOR) return good('node', `${version} runs.`)
  return bad('node', `${version} runs, but ${NODE_MAJOR} is wanted: start it with make or bin/.`)
}

/** Descriptors for the sockets that are allowed; `reserved` are those for anything else. */
export function checkDescriptors(limit: number, sockets: number, reserved: number): Finding {
  if (limit >= sockets + reserved) return good('open files', `${limit} are allowed.`)
  if (limit < 4 * reserved)
    return bad('open files', `Only ${limit} are allowed: set LimitNOFILE or ulimit -n to 65536.`)
  return warn(
    'open files',
    `${limit} are allowed, so ${limit - reserved} sockets and not SOCKETS=${sockets}: raise ` +
      `LimitNOFILE or ulimit -n to ${sockets + reserved}, or lower SOCKETS.`,
  )
}

/** Memory for everything; `historyBytes` are those of TAPE_MEMORY and POSITIONS_MEMORY together. */
export function checkMemory(historyBytes: number): Finding {
  const constrained = process.constrainedMemory()
  const total = constrained > 0 ? Math.min(constrained, os.totalmem()) : os.totalmem()
  const all = Math.round(total / MEBIBYTE)
  // The compactor holds a second copy of the state.
  const wanted = Math.round((2 * historyBytes + MEMORY_BESIDE_BYTES) / MEBIBYTE)
  if (all >= wanted) return good('memory', `${all} MiB are there.`)
  return warn(
    'memory',
    `${all} MiB are there; with TAPE_MEMORY and POSITIONS_MEMORY as they are a large market takes up to ` +
      `${wanted} MiB while a snapshot is made: lower them.`,
  )
}

/**
 * The machine's clock, against the newest file that it has dated itself. It is read behind that: a running service
 * goes on writing while its folder is looked at.
 */
export function checkClock(newestFileMs: number | null, nowMs = Date.now()): Finding {
  const now = new Date(nowMs).toISOString()
  if (nowMs < BUILT_AT_MS) return bad('clock', `It says ${now}: set it, and keep it by NTP.`)
  if (newestFileMs !== null && newestFileMs > nowMs)
    return warn(
      'clock',
      `It says ${now}, but DATA_DIR was written at ${new Date(newestFileMs).toISOString()}: ` +
        'it was set back, or is wrong; keep it by NTP.',
    )
  return good('clock', `It says ${now}; see that NTP keeps it.`)
}

/** How many connections may wait to be accepted. */
function checkBacklog(): Finding {
  const text = systemText('/proc/sys/net/core/somaxconn').trim()
  if (text === '' || Number(text) >= BACKLOG_WANTED)
    return good('backlog', `${text || 'Unknown here; it'} is enough.`)
  return warn('backlog', `${text} is small: sysctl net.core.somaxconn=4096.`)
}

/** That of a setting goes before that of the data folder, as at a start. */
function exitCodeOf(findings: readonly Finding[]): number {
  const codes = findings.filter(({ level }) => level === 'bad').map(({ code }) => code)
  return [Exit.usage, Exit.data, Exit.bad].find((code) => codes.includes(code)) ?? Exit.good
}

/** A line for each finding, and a sum of them. */
function findingsText(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ level, about, says }) => `${level.padEnd(5)} ${about.padEnd(12)} ${says}`,
  )
  const count = (level: Finding['level']) => findings.filter((one) => one.level === level).length
  const verdict =
    count('bad') > 0
      ? `${count('bad')} to mend before the start`
      : `nothing stands in the way, ${count('warn')} to look at`
  return `${[...lines, verdict].join('\n')}\n`
}
