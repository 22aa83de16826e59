import type { SettingName } from './config.ts'

/** What a setting is, for who has to choose a value. */
export interface SettingText {
  /** What its value counts or is, or which words it may be. */
  readonly unit: string
  /** What it does, in one sentence. */
  readonly sentence: string
  /** What an empty default comes to, where that is not nothing. */
  readonly fallback?: string
}

type Texts = Readonly<Partial<Record<SettingName, SettingText>>>

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
export const SETTING_GROUPS: Readonly<Record<string, Texts>> = {
  'Network and page': {
    HOST: { unit: 'address', sentence: 'Where the API, the live feed and the page are.' },
    PORT: {
      unit: NUMBER,
      sentence: 'Their port; `0` takes a free one, which the line `ready` tells.',
    },
    RATE_LIMIT: {
      unit: 'requests/time, or `off`',
      sentence:
        'Requests of one client address to one endpoint in a window; one more is answered 429.',
    },
    TRUST_PROXY: {
      unit: ADDRESSES,
      sentence: 'Proxies whose `X-Forwarded-For` is believed.',
    },
    CORS_ORIGIN: { unit: '`*` or one origin', sentence: 'Which pages may read the answers.' },
    TLS_CERT: {
      unit: PATH,
      sentence: 'Chain of certificates (PEM); with `TLS_KEY` the port speaks https and wss only.',
    },
    TLS_KEY: { unit: PATH, sentence: 'The key of the certificate (PEM, without a passphrase).' },
    DASHBOARD: {
      unit: '`on`, `off`, `images`',
      sentence:
        'The page at `/`; with `images` it also loads pictures that strangers chose and host.',
    },
  },
  Feeds: {
    FEED: {
      unit: '`sim`, `replay:<file>`, `stdin`, `yellowstone`, `solana`, `pumpportal`, `none`, with commas',
      sentence: 'Where events come from; `none` serves what `DATA_DIR` holds.',
    },
    SPEED: { unit: 'factor, or `max`', sentence: 'Pace of a replay, by the times of its events.' },
    CLOCK: {
      unit: '`wall`, `event`',
      fallback: '`wall`; `event` for replays',
      sentence: "What windows and ages go by: this machine's clock, or the times of events.",
    },
    LATE_SLOTS: {
      unit: SLOTS,
      sentence: 'How far behind the newest event one may come and still be folded in its place.',
    },
    SIM_SEED: { unit: NUMBER, sentence: 'What the simulated market is drawn from.' },
    SIM_TOKENS: { unit: 'tokens', sentence: 'Tokens that the simulated market has at the start.' },
    SIM_RATE: { unit: 'swaps/s', sentence: 'Swaps of the simulated market.' },
    YELLOWSTONE_URL: {
      unit: 'https or http address',
      sentence: 'The Yellowstone gRPC server of `FEED=yellowstone`.',
    },
    YELLOWSTONE_TOKEN: { unit: SECRET, sentence: 'Sent to it as `x-token`.' },
    SOLANA_RPC_URL: {
      unit: 'https or http address',
      sentence: 'The RPC server of `FEED=solana`.',
    },
    SOLANA_WS_URL: {
      unit: 'wss or ws address',
      fallback: 'made of the RPC address',
      sentence: 'Its WebSocket address.',
    },
    SOLANA_BLOCKS: {
      unit: '`gaps`, `all`',
      sentence: 'Which slots are read from their blocks: those that are missing, or all of them.',
    },
    BACKFILL_SLOTS: {
      unit: SLOTS,
      sentence: 'Slots of an outage that are back-filled; of a longer one the oldest are given up.',
    },
    BACKFILL: {
      unit: 'time, up to `24h`',
      sentence: 'The same as a time, which then counts in place of the slots.',
    },
    PUMPPORTAL_URL: { unit: 'wss address', sentence: 'The service of `FEED=pumpportal`.' },
    PUMPPORTAL_KEY: {
      unit: SECRET,
      sentence: 'A funded key: without one there are creations and migrations, and no trades.',
    },
    PUMPPORTAL_MINTS: {
      unit: MINTS,
      sentence: 'Whose trades are asked for; `new` among them: also those of new tokens.',
    },
  },
  'Prices and texts': {
    SOL_PRICE: {
      unit: '`coinbase`, `binance`, `kraken`, with commas; `fixed:<usd>`, `file:<path>`, `off`',
      fallback: 'all three with a feed of the chain, else off',
      sentence:
        'Where the price of SOL comes from; without one, and none in the events, USD reads 0.',
    },
    METADATA: {
      unit: '`on`, `off`',
      sentence: 'Whether pictures, descriptions and links of tokens are fetched.',
    },
    IPFS_GATEWAYS: {
      unit: 'https origins, with commas',
      sentence: 'Where content of IPFS is asked for, in order of preference.',
    },
  },
  'What is kept': {
    DATA_DIR: {
      unit: 'path, or `none`',
      sentence: 'Folder of journal, snapshots and swap history; `none` keeps nothing.',
    },
    SNAPSHOT_EVERY: { unit: DURATION, sentence: 'Time between two snapshots.' },
    FSYNC: {
      unit: '`group`, `always`, `off`',
      sentence:
        'When what was written is made to last: within milliseconds, before anything is seen, or when the system likes.',
    },
    TAPE_MEMORY: {
      unit: SIZE,
      sentence: 'Swap history in memory; older history is read from the disk.',
    },
    POSITIONS_MEMORY: {
      unit: SIZE,
      sentence: 'Positions in memory; past it those of the quietest tokens go to the disk.',
    },
    MAX_TOKENS: { unit: 'tokens', sentence: 'Tokens that are held; further ones are refused.' },
    JOURNAL_KEEP: {
      unit: '`needed`, `all`',
      sentence: 'Whether segments that no snapshot needs stay, so that all can be exported.',
    },
  },
  Thresholds: {
    COMPLETING_PERCENT: {
      unit: '%',
      sentence: 'Sold part of the curve from which a token is completing.',
    },
    SNIPER_SLOTS: {
      unit: SLOTS,
      sentence: 'How long after the creation a first buy makes a sniper.',
    },
    SNIPER_SECONDS: { unit: SECONDS, sentence: 'The same where a slot is unknown.' },
    BUNDLE_SLOTS: {
      unit: SLOTS,
      sentence: "Slots after the creation's in which buying together makes a bundle.",
    },
    BUNDLE_SOL: {
      unit: 'SOL',
      sentence: 'What each signer of a bundle buys for at least in one of them.',
    },
    FRESH_SECONDS: {
      unit: SECONDS,
      sentence: 'A wallet is fresh for less than this after its first swap.',
    },
    FRESH_TRADES: { unit: 'trades', sentence: 'And only with fewer earlier trades than this.' },
    PRO_TRADES: {
      unit: 'trades',
      sentence: 'A wallet in profit is a pro trader from so many trades on.',
    },
    PRO_MINTS: { unit: 'mints', sentence: 'And only with trades in so many mints.' },
    SOLD_ALL_TOKENS: {
      unit: 'whole tokens',
      sentence: 'A creator that holds no more than this has sold all.',
    },
    MINT_SUFFIX: {
      unit: 'base58',
      sentence: 'What `caEndsWithSuffix` looks for at the end of a mint.',
    },
  },
  Limits: {
    SOCKETS: {
      unit: 'sockets',
      sentence: 'Open ones of any kind; one more is closed as it comes.',
    },
    NEW_SOCKETS_PER_ADDRESS: {
      unit: 'sockets in 10 s',
      sentence: 'What one address may open, loopback and trusted proxies not counted.',
    },
    CONNECTIONS: {
      unit: 'connections',
      sentence: 'Live ones; the next handshake is answered 503.',
    },
    CONNECTIONS_PER_ADDRESS: {
      unit: 'connections',
      sentence:
        'Live ones of one address, then 429; all of loopback together have nine tenths of CONNECTIONS.',
    },
    MESSAGES_PER_SECOND: {
      unit: 'messages/s',
      sentence: 'Of one live connection, which past it is closed with 4010.',
    },
    MESSAGES_PER_SECOND_PER_ADDRESS: {
      unit: 'messages/s',
      sentence: 'Of all live connections of one address, loopback not counted; the same.',
    },
    SUBSCRIPTIONS_PER_SECOND_PER_ADDRESS: {
      unit: 'subscriptions/s',
      sentence: 'Mints, wallets, tables and candles that one address follows or leaves; the same.',
    },
    BODY_TIMEOUT: {
      unit: DURATION,
      sentence: 'A body that is not complete by then is answered 408.',
    },
    ANSWER_TIMEOUT: {
      unit: DURATION,
      sentence: 'A request that is not answered by then is answered 503.',
    },
    ANSWER_CACHE: {
      unit: SIZE,
      sentence: 'Encoded answers that are kept for who asks the same again.',
    },
    UNREAD_MEMORY: {
      unit: SIZE,
      sentence: 'What all live connections leave unread; past it those that have most are closed.',
    },
  },
  'Running it': {
    LOG_FORMAT: {
      unit: '`auto`, `text`, `json`',
      sentence:
        'How the log is written: `text` for eyes, `json` for programs, a line each; `auto`: `text` at a terminal.',
    },
    LOG_LEVEL: {
      unit: '`trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`',
      sentence: 'What the log tells; the line `ready` comes at every level but `silent`.',
    },
    ADMIN_PORT: {
      unit: NUMBER,
      sentence:
        'Port of the admin surface: profiles, snapshots, reasons with paths; none: there is no such port.',
    },
    ADMIN_HOST: { unit: 'address', sentence: 'Where that port is.' },
    ADMIN_TOKEN: {
      unit: 'secret of 16 characters or more',
      sentence: 'What requests to it have to carry; it has to be set elsewhere than on loopback.',
    },
    SPIN: {
      unit: '`on`, `off`',
      sentence: 'Whether the loop is kept awake: less latency for the price of a core.',
    },
    CHECK_CACHE: {
      unit: '`0`, `1`',
      sentence: 'Whether each kept answer is made anew and compared; for tests.',
    },
  },
}
