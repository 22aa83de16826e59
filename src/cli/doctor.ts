import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { checkFeeds } from '../app/feeds/feed-list.ts'
import { messageOf } from '../base/errors.ts'
import { Exit, type Terminal } from '../commands/command.ts'
import { checkFolder, newestFileMs } from '../commands/folder-checks.ts'
import {
  checkBacklog,
  checkClock,
  checkDescriptors,
  checkMemory,
  checkNode,
} from '../commands/machine-checks.ts'
import { bad, exitCodeOf, type Finding, findingsText, good, warn } from '../commands/verdict.ts'
import { type Config, readConfig, SETTING_NAMES } from '../config/config.ts'
import { marketOf } from '../config/feed-setting.ts'
import { ConfigError } from '../config/setting-values.ts'
import { isLoopback } from '../config/surface.ts'
import { mistypedSettings } from '../config/typos.ts'
import { platformSentence } from '../feeds/chain/layouts/decode-event.ts'
import { descriptorLimit, RESERVED_DESCRIPTORS } from '../figures/process-figures.ts'
import { whyNotListening } from '../server/sockets/apps.ts'
import { ClientAddresses } from '../server/sockets/client-address.ts'
import { checkTlsFiles } from '../server/sockets/tls-files.ts'
import { checkLiveFeeds } from './live-checks.ts'

/** A certificate that ends sooner is worth a word. */
const CERTIFICATE_DAYS = 14
const DAY_S = 86_400
const PLAIN_ADMIN_PORT =
  'It speaks plain HTTP, and others can reach it: who listens on the way has ADMIN_TOKEN; use a tunnel, ' +
  'or a proxy with TLS.'

const HELP =
  'mintfeed doctor: what the service would meet with the same variables and flags\n\n' +
  'Looks at ports, data folder, disk, open files, memory, clock, TLS files and feeds, and says\n' +
  'what to do about each; asks the servers of live feeds one question each, for 5 seconds at most,\n' +
  'and reads what the data folder holds for 2 seconds at most (inspect reads all of it).\n' +
  'Writes a small file into the data folder, as a start does, removes it, and changes nothing else.\n' +
  'Exit code 0: nothing stands in the way; 2: a setting; 3: the data folder;\n' +
  '1: anything else for which it would not start, or not for long, or should not.\n'

/** `mintfeed doctor`: takes the flags of the service itself; returns the exit code. */
export async function doctor(args: readonly string[], terminal: Terminal): Promise<number> {
  if (args.includes('--help')) {
    terminal.stdout.write(HELP)
    return Exit.good
  }
  const findings = await examine(args, terminal.environment)
  terminal.stdout.write(findingsText(findings))
  return exitCodeOf(findings)
}

async function examine(
  args: readonly string[],
  environment: Terminal['environment'],
): Promise<Finding[]> {
  const mistyped = mistypedSettings(environment, SETTING_NAMES).map(({ sentence }) =>
    warn('settings', sentence),
  )
  let config: Config
  try {
    config = readConfig(args, environment)
  } catch (error) {
    if (error instanceof ConfigError)
      return [bad('settings', error.message, Exit.usage), ...mistyped]
    throw error
  }
  const { surface, dataDir } = config
  return [
    good('settings', 'They can be read.'),
    ...mistyped,
    checkNode(process.version),
    ...(await checkPorts([
      { name: 'PORT', host: config.host, port: config.port },
      ...(surface.admin === null ? [] : [{ name: 'ADMIN_PORT', ...surface.admin }]),
    ])),
    ...checkFolder(dataDir, marketOf(config.feeds)),
    checkDescriptors(descriptorLimit(), surface.limits.sockets, RESERVED_DESCRIPTORS),
    checkMemory(config.tapeMemoryBytes + config.positionsMemoryBytes),
    checkClockBy(dataDir),
    checkBacklog(),
    ...(await checkTls(surface.tls)),
    checkFeedsOf(config),
    good('platform', platformSentence()),
    ...(await checkLiveFeeds(config)),
    ...checkProxies(config.trustProxy),
    ...checkExposure(config),
  ]
}

/** The clock is asked last: a service that runs writes on while its folder is looked at. */
function checkClockBy(dataDir: Config['dataDir']): Finding {
  const newestMs = newestFileMs(dataDir)
  return checkClock(Date.now(), newestMs)
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

/** Can all be had at once? Two settings may name one port. */
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
