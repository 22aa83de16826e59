import fs from 'node:fs'
import { ConfigError, durationMs, integer } from './setting-values.ts'

/** Where the replicated stream is, and how it is made (contract of replicas, docs/scale-out.md). */
export interface StreamSetting {
  /** `host:port` each, without a login. */
  readonly servers: readonly string[]
  readonly isSecure: boolean
  /** Null: none is needed, or `creds` has it. */
  readonly login: { readonly user: string; readonly password: string } | null
  /** What the file of NATS_CREDS holds; null: none is given. */
  readonly creds: string | null
  readonly name: string
  /** Servers that each message is on, where the stream is made. */
  readonly replicas: number
  /** How long messages stay, where the stream is made. */
  readonly keepMs: number
  /** A replica that is so far behind is not ready. */
  readonly lagMaxMs: number
}

export const STREAM_DEFAULTS = {
  NATS_URL: 'nats://127.0.0.1:4222',
  NATS_CREDS: '',
  NATS_STREAM: 'mintfeed',
  NATS_REPLICAS: '1',
  NATS_KEEP: '72h',
  REPLICA_LAG_MAX: '5s',
} as const

const REPLICAS_MAX = 5
const NATS_PORT = '4222'

/** @throws ConfigError on a bad value */
export function streamSetting(
  settings: Readonly<Record<keyof typeof STREAM_DEFAULTS | 'DATA_DIR', string>>,
): StreamSetting {
  const urls = settings.NATS_URL.split(',').map((text) => natsUrl(text.trim()))
  const withLogin = urls.find(({ username }) => username !== '')
  if (settings.DATA_DIR === 'none')
    throw new ConfigError(
      'DATA_DIR is none; what follows a stream keeps its snapshots there: give a folder.',
    )
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port === '' ? NATS_PORT : port}`),
    isSecure: urls.some(({ protocol }) => protocol === 'tls:'),
    login:
      withLogin === undefined
        ? null
        : {
            user: decodeURIComponent(withLogin.username),
            password: decodeURIComponent(withLogin.password),
          },
    creds: settings.NATS_CREDS === '' ? null : credsOf(settings.NATS_CREDS),
    name: streamName(settings.NATS_STREAM),
    replicas: integer('NATS_REPLICAS', settings.NATS_REPLICAS, 1, REPLICAS_MAX),
    keepMs: durationMs('NATS_KEEP', settings.NATS_KEEP),
    lagMaxMs: durationMs('REPLICA_LAG_MAX', settings.REPLICA_LAG_MAX),
  }
}

/** Not repeated in a sentence: it may hold a password. */
function natsUrl(text: string): URL {
  const url = URL.parse(text)
  if (url !== null && ['nats:', 'tls:'].includes(url.protocol) && url.hostname !== '') return url
  throw new ConfigError(
    'NATS_URL cannot be used; it must be nats://host:4222 or tls://host:4222, or several of them with commas.',
  )
}

/** The name is part of a subject and of the names of files. */
function streamName(text: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(text)) return text
  throw new ConfigError(
    `NATS_STREAM is "${text}"; it must be 1 to 64 letters, digits, dashes and underscores.`,
  )
}

function credsOf(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`NATS_CREDS names a file that cannot be read: ${String(error)}.`)
  }
}
