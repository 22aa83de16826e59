import { SETTING_DEFAULTS, type SettingName } from './config.ts'

const LINE_CHARACTERS = 100
const HEAD = `# Settings

<!-- Made by "npm run settings" out of src/config/setting-texts.ts: change that. -->

Each is an environment variable and a flag: \`PORT=9000\` is \`--port 9000\`; a flag goes before the variable, and an empty value is
the default. \`mintfeed help\` prints the same. A value that cannot be used stops the start with one sentence and exit code 2; a variable
that is nearly one of these, like \`DATADIR\`, is a warning of the log.
`

/** docs/settings.md, whole. */
export function settingsMarkdown(): string {
  const parts = Object.entries(SETTING_GROUPS).map(([title, texts]) => {
    const rows = rowsOf(texts).map(
      ({ name, shown, unit, sentence }) => `| \`${name}\` | ${shown} | ${unit} | ${sentence} |`,
    )
    return [
      '',
      `## ${title}`,
      '',
      '| setting | default | unit or values | what it does |',
      '|---|---|---|---|',
      ...rows,
    ].join('\n')
  })
  return `${HEAD}${parts.join('\n')}\n`
}

/** The same for a terminal: two lines or more a setting. */
export function settingsHelp(): string {
  const parts = Object.entries(SETTING_GROUPS).map(([title, texts]) => {
    const rows = rowsOf(texts).flatMap(({ name, shown, unit, sentence }) => [
      ...indented(`${name}  ${shown}  [${unit}]`, '  ', '      '),
      ...indented(sentence, '      ', '      '),
    ])
    return [`${title}:`, ...rows].join('\n')
  })
  return parts.join('\n\n').replaceAll('`', '')
}

function rowsOf(texts: Readonly<Partial<Record<SettingName, SettingText>>>) {
  const defaults: Readonly<Record<string, string>> = SETTING_DEFAULTS
  return Object.entries(texts).map(([name, [unit, sentence, fallback = 'none']]) => {
    const value = defaults[name]
    return { name, unit, sentence, shown: value === '' ? fallback : `\`${value}\`` }
  })
}

/** Words in lines that fit a terminal. */
function indented(text: string, first: string, next: string): readonly string[] {
  const lines: string[] = []
  let line = first
  for (const word of text.split(/(?<= )(?! )/)) {
    if (line.trim() !== '' && (line + word).trimEnd().length > LINE_CHARACTERS) {
      lines.push(line.trimEnd())
      line = next
    }
    line += word
  }
  return [...lines, line.trimEnd()]
}

/**
 * What its value counts or is, or which words it may be; what the setting does, in one sentence; what an empty
 * default stands for, where that is not nothing.
 */
type SettingText = readonly [unit: string, sentence: string, fallback?: string]

const SLOTS = 'slots'
const SECONDS = 's'
const DURATION = 'time: `500ms`, `60s`, `5m`, `1h`'
const SIZE = 'size: `512kb`, `32mb`, `2gb`'
const ADDRESSES = 'addresses or CIDRs, with commas'
const NUMBER = 'number'
const PATH = 'path'
const SECRET = 'secret'
const MINTS = 'mints, with commas'

/** Every setting once, by what it is for. */
export const SETTING_GROUPS: Readonly<
  Record<string, Readonly<Partial<Record<SettingName, SettingText>>>>
> = {
  'Network and page': {
    HOST: ['address', 'Where the API, the live feed and the page are.'],
    PORT: [NUMBER, 'Their port; `0` takes a free one, which the line `ready` tells.'],
    RATE_LIMIT: [
      'requests/time, or `off`',
      'Requests of one client address to one endpoint in a window; one more is answered 429.',
    ],
    TRUST_PROXY: [ADDRESSES, 'Proxies whose `X-Forwarded-For` is believed.'],
    CORS_ORIGIN: ['`*` or one origin', 'Which pages may read the answers.'],
    TLS_CERT: [
      PATH,
      'Chain of certificates (PEM); with `TLS_KEY` the port speaks https and wss only.',
    ],
    TLS_KEY: [PATH, 'The key of the certificate (PEM, without a passphrase).'],
    DASHBOARD: [
      '`on`, `off`, `images`',
      'The page at `/`; with `images` it also loads pictures that strangers chose and host.',
    ],
    MCP: ['`on`, `off`', 'Tools for agents at `/mcp`; they read what the API answers anybody.'],
  },
  Wallets: {
    WALLET_LABELS: [
      PATH,
      'File of labels of wallets (address, name, tag), as CSV, JSON lines or a JSON array; read again when it changes.',
    ],
  },
  Feeds: {
    FEED: [
      '`sim`, `replay:<file>`, `stdin`, `yellowstone`, `solana`, `pumpportal`, `none`, with commas; `nats` alone',
      'Where events come from; `none` serves what `DATA_DIR` holds.',
    ],
    SPEED: ['factor, or `max`', 'Pace of a replay, by the times of its events.'],
    CLOCK: [
      '`wall`, `event`',
      "What windows and ages go by: this machine's clock, or the times of events.",
      '`wall`; `event` for replays',
    ],
    LATE_SLOTS: [
      SLOTS,
      'How far behind the newest event one may come and still be folded in its place at once.',
    ],
    SIM_SEED: [NUMBER, 'What the simulated market is drawn from.'],
    SIM_TOKENS: ['tokens', 'Tokens that the simulated market has at the start.'],
    SIM_RATE: ['swaps/s', 'Swaps of the simulated market.'],
    YELLOWSTONE_URL: [
      'https or http address',
      'The Yellowstone gRPC server of `FEED=yellowstone`.',
    ],
    YELLOWSTONE_TOKEN: [SECRET, 'Sent to it as `x-token`.'],
    SOLANA_RPC_URL: [
      'https or http address',
      'The RPC server of `FEED=solana`; of `HYDRATE_RPS` beside any live feed, of gaps and history beside `yellowstone`.',
    ],
    SOLANA_WS_URL: ['wss or ws address', 'Its WebSocket address.', 'made of the RPC address'],
    SOLANA_BLOCKS: [
      '`gaps`, `all`',
      'Which slots are read from their blocks: those that are missing, or all of them.',
    ],
    HYDRATE_RPS: [
      'up to `100`; `0`, `off`',
      'Questions a second for what the chain knows of tokens whose creation was not seen.',
    ],
    BACKFILL_SLOTS: [
      SLOTS,
      'Slots of an outage that are back-filled; of a longer one the oldest are given up.',
    ],
    BACKFILL: ['time, up to `24h`', 'The same as a time, which then counts in place of the slots.'],
    GAP_WAIT: [
      'time',
      'How long missing slots hold what is behind them; then they are filled behind it.',
    ],
    HISTORY: [
      '`replayed`, `off`, time',
      'Time before the first start that is fetched beside the live feed; `replayed`: all that Yellowstone has, up to 24h.',
    ],
    HISTORY_RPS: ['questions/s', 'How fast the RPC server is asked for it, a question a slot.'],
    PUMPPORTAL_URL: ['wss address', 'The service of `FEED=pumpportal`.'],
    PUMPPORTAL_KEY: [
      SECRET,
      'A funded key: without one there are creations and migrations, and no trades.',
    ],
    PUMPPORTAL_MINTS: [
      MINTS,
      'Whose trades are asked for; `new` among them: also those of new tokens.',
    ],
  },
  'Prices and texts': {
    SOL_PRICE: [
      '`coinbase`, `binance`, `kraken`, with commas; `fixed:<usd>`, `file:<path>`, `off`',
      'Where the price of SOL comes from; without one, and none in the events, USD reads 0.',
      'all three with a feed of the chain, else off',
    ],
    METADATA: ['`on`, `off`', 'Whether pictures, descriptions and links of tokens are fetched.'],
    IPFS_GATEWAYS: [
      'https origins, with commas',
      'Where content of IPFS is asked for, in order of preference.',
    ],
  },
  Replicas: {
    NATS_URL: [
      'nats or tls addresses with commas',
      'Servers of NATS JetStream, for `FEED=nats` and `mintfeed sequence`; user and password may stand in it.',
    ],
    NATS_CREDS: ['path', 'File with the credentials for NATS.'],
    NATS_STREAM: ['name', 'The stream.'],
    NATS_REPLICAS: [
      '1 to 5',
      'Servers that have each message, where a sequencer makes the stream.',
    ],
    NATS_KEEP: [DURATION, 'How long messages stay, where a sequencer makes the stream.'],
    REPLICA_LAG_MAX: [
      DURATION,
      'A replica that is further behind the stream is not ready, so that a load balancer takes it out.',
    ],
  },
  'What is kept': {
    DATA_DIR: [
      'path, or `none`',
      'Folder of journal, snapshots and swap history; `none` keeps nothing.',
    ],
    SEED_URL: [
      'http or https address',
      'The admin surface of a running instance, which an empty `DATA_DIR` is filled from before the start goes on.',
    ],
    SEED_TOKEN: [SECRET, 'The `ADMIN_TOKEN` of that instance.'],
    SNAPSHOT_EVERY: [DURATION, 'Time between two snapshots.'],
    FSYNC: [
      '`group`, `always`, `off`',
      'When what was written is made to last: within milliseconds, before anything is seen, or when the system likes.',
    ],
    TAPE_MEMORY: [SIZE, 'Swap history in memory; older history is read from the disk.'],
    POSITIONS_MEMORY: [
      SIZE,
      'Positions in memory; past it those of the quietest tokens go to the disk.',
    ],
    MAX_TOKENS: ['tokens', 'Tokens that are held; further ones are refused.'],
    JOURNAL_KEEP: [
      '`needed`, `all`',
      'Whether segments that no snapshot needs stay, so that all can be exported.',
    ],
  },
  Alerts: {
    ALERTS_FILE: [
      PATH,
      'Rules of alerts (JSON) beside those of the admin surface; it is read at the start.',
    ],
    ALERTS_NETWORKS: [
      ADDRESSES,
      'Where webhooks may go though it is not public, over http too; else they go to public addresses over https alone.',
    ],
    ALERTS_RETRY: [
      DURATION,
      'How long a delivery that its webhook does not take is repeated before it becomes a dead letter.',
    ],
  },
  Thresholds: {
    COMPLETING_PERCENT: ['%', 'Sold part of the curve from which a token is completing.'],
    SNIPER_SLOTS: [SLOTS, 'How long after the creation a first buy makes a sniper.'],
    SNIPER_SECONDS: [SECONDS, 'The same where a slot is unknown.'],
    BUNDLE_SLOTS: [SLOTS, "Slots after the creation's in which buying together makes a bundle."],
    BUNDLE_SOL: ['SOL', 'What each signer of a bundle buys for at least in one of them.'],
    FRESH_SECONDS: [SECONDS, 'A wallet is fresh for less than this after its first swap.'],
    FRESH_TRADES: ['trades', 'And only with fewer earlier trades than this.'],
    PRO_TRADES: ['trades', 'A wallet in profit is a pro trader from so many trades on.'],
    PRO_MINTS: ['mints', 'And only with trades in so many mints.'],
    SOLD_ALL_TOKENS: ['whole tokens', 'A creator that holds no more than this has sold all.'],
    MINT_SUFFIX: ['base58', 'What `caEndsWithSuffix` looks for at the end of a mint.'],
  },
  Limits: {
    SOCKETS: ['sockets', 'Open ones of any kind; one more is closed as it comes.'],
    NEW_SOCKETS_PER_ADDRESS: [
      'sockets in 10 s',
      'What one address may open, loopback and trusted proxies not counted.',
    ],
    CONNECTIONS: ['connections', 'Live ones; the next handshake is answered 503.'],
    CONNECTIONS_PER_ADDRESS: [
      'connections',
      'Live ones of one address, then 429; all of loopback together have nine tenths of CONNECTIONS.',
    ],
    MESSAGES_PER_SECOND: [
      'messages/s',
      'Of one live connection, which past it is closed with 4010.',
    ],
    MESSAGES_PER_SECOND_PER_ADDRESS: [
      'messages/s',
      'Of all live connections of one address, loopback not counted; the same.',
    ],
    SUBSCRIPTIONS_PER_SECOND_PER_ADDRESS: [
      'subscriptions/s',
      'Mints, wallets, tables and candles that one address follows or leaves; the same.',
    ],
    BODY_TIMEOUT: [DURATION, 'A body that is not complete by then is answered 408.'],
    ANSWER_TIMEOUT: [DURATION, 'A request that is not answered by then is answered 503.'],
    ANSWER_CACHE: [SIZE, 'Encoded answers that are kept for who asks the same again.'],
    UNREAD_MEMORY: [
      SIZE,
      'What all live connections leave unread; past it those that have most are closed.',
    ],
  },
  'Running it': {
    LOG_FORMAT: [
      '`auto`, `text`, `json`',
      'How the log is written: `text` for eyes, `json` for programs, a line each; `auto`: `text` at a terminal.',
    ],
    LOG_LEVEL: [
      '`trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`',
      'What the log tells; the line `ready` comes at every level but `silent`.',
    ],
    ADMIN_PORT: [
      NUMBER,
      'Port of the admin surface: profiles, snapshots, reasons with paths; none: there is no such port.',
    ],
    ADMIN_HOST: ['address', 'Where that port is.'],
    ADMIN_TOKEN: [
      'secret of 16 characters or more',
      'What requests to it have to carry; it has to be set elsewhere than on loopback.',
    ],
    SPIN: ['`on`, `off`', 'Whether the loop is kept awake: less latency for the price of a core.'],
    CHECK_CACHE: ['`0`, `1`', 'Whether each kept answer is made anew and compared; for tests.'],
  },
}
