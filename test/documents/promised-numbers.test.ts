import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BEHIND_MAX_MS } from '../../client/src/live/behind.ts'
import { LANE_MAX, LANES_MAX } from '../../client/src/live/lanes.ts'
import { settingsOf, URLS_MAX } from '../../client/src/options.ts'
import { FIRST_PRICE_MS } from '../../src/app/feeds/feed-list.ts'
import { JUDGED_SWAPS } from '../../src/app/service.ts'
import { readSurface, SURFACE_DEFAULTS } from '../../src/config/surface.ts'
import { ROWS_MAX } from '../../src/engine/memory/rows.ts'
import { DORMANT_TRADERS_MAX } from '../../src/engine/state/layout.ts'
import { QUOTE_COINS_MAX } from '../../src/engine/state/money.ts'
import { TAPE_CHUNK_RECORDS } from '../../src/engine/state/tape.ts'
import { EVERY_MS } from '../../src/feeds/metadata/dex-paid.ts'
import { QUEUE_LIMITS } from '../../src/feeds/metadata/fetch-queue.ts'
import { FETCH_LIMITS } from '../../src/feeds/metadata/safe-fetch.ts'
import { TEXT_LIMITS } from '../../src/feeds/metadata/token-texts.ts'
import { PRICE_RULES } from '../../src/feeds/sol-price/sol-price-feed.ts'
import { LONG_TURN_MS, STALL_MS, STALLS_MAX } from '../../src/figures/event-loop-stall-monitor.ts'
import { COUNTBACK_DEFAULT } from '../../src/protocol/live/live-messages.ts'
import { BARS_MAX } from '../../src/protocol/queries.ts'
import {
  DEFAULT_LIMIT,
  MAX_LIMIT,
  MAX_MINTS,
  MAX_QUERY_CHARACTERS,
} from '../../src/protocol/requests/tokens.ts'
import { MAX_QUOTES } from '../../src/protocol/udf-json.ts'
import { CREATOR_TOKENS_MAX } from '../../src/query/engine-queries.ts'
import { SNAPSHOT_MESSAGES } from '../../src/query/engine-streams.ts'
import { SEARCH_RESULTS_MAX } from '../../src/query/search/token-search.ts'
import { SEED_TIMES } from '../../src/seed/seed-folder.ts'
import { MAX_REPLAYED } from '../../src/server/live/hub/catch-ups.ts'
import { MAX_CONNECTION_KEYS } from '../../src/server/live/hub/subscriptions.ts'
import { WAITS_KEPT } from '../../src/store/disk/watched-disk.ts'
import { SEGMENT_BYTES } from '../../src/store/journal/journal.ts'
import {
  OLDEST_SNAPSHOT_VERSION,
  SNAPSHOT_VERSION,
} from '../../src/store/snapshot/snapshot-file.ts'
import { ROOT } from '../tidy/source-files.ts'
import { declaredNumbers } from './declared-numbers.ts'

const limit = declaredNumbers('src/server')
const DEFAULT_LIMITS = readSurface(SURFACE_DEFAULTS).limits

const count = (value: number) => value.toLocaleString('en')
const seconds = (ms: number) => `${ms / 1000} s`
const kib = (bytes: number) => `${bytes / 1024} KiB`
const mib = (bytes: number) => `${bytes / 1024 ** 2} MiB`
const replayed = (channel: keyof typeof MAX_REPLAYED) => count(MAX_REPLAYED[channel])
const announced = (channel: 'mint_migration' | 'new_launched_pool') =>
  `| \`${channel}\` | of the channel | the newest ${replayed(channel)}, over restarts | the newest ${SNAPSHOT_MESSAGES} |`

const LIVE = [
  `\`{"type":"ping"}\` comes every ${seconds(limit('PING_MS'))}; answer`,
  `a message over ${kib(limit('MAX_MESSAGE_BYTES'))} came (over ${mib(limit('MAX_RECEIVED_BYTES'))}: 1006)`,
  `| 4008 | nothing came from the client for ${seconds(limit('SILENCE_MS'))} |`,
  `| 4009 | more than ${mib(limit('MAX_BUFFERED_BYTES'))} lay unread`,
  `While more than ${kib(limit('CATCH_UP_BUFFER_BYTES'))} lie unread, snapshots and missed messages wait`,
  `the newest ${replayed('update_mint_info')} trades of the mint (${count(limit('MAX_REPLAYED_TOGETHER'))} of all mints of one message)`,
  announced('mint_migration'),
  announced('new_launched_pool'),
  `trades that are among the newest ${replayed('wallet_trades')} of all mints`,
  `the newest ${replayed('all_trades')} taken since the start`,
  `\`mint\` or \`mints\` (at most ${count(MAX_CONNECTION_KEYS.mint)} a connection)`,
  `\`wallet\` or \`wallets\` (at most ${count(MAX_CONNECTION_KEYS.wallet)} a connection)`,
  `At most ${limit('MAX_CONNECTION_TABLES')} tables a connection.`,
  `Changes are gathered for up to ${limit('TABLES_EVERY_MS')} ms. Time alone`,
  `\`countback\` (1 to ${count(BARS_MAX)}, default ${COUNTBACK_DEFAULT}) bars in the snapshot. At most ${limit('MAX_CONNECTION_CANDLES')} a connection.`,
  `Changes are gathered for up to ${limit('CANDLES_EVERY_MS')} ms. ## Errors`,
  `${limit('MAX_CONNECTION_TABLES')} tables, ${limit('MAX_CONNECTION_CANDLES')} candles a connection; ` +
    `${limit('MAX_TABLES_PER_ADDRESS')} tables, ${count(limit('MAX_CANDLES_PER_ADDRESS'))} candles of one address, ` +
    `not counting those that another one followed first; ${limit('MAX_TABLES')} and ${count(limit('MAX_CANDLES'))} in all`,
  `Every ${seconds(limit('EVENT_STREAM_COMMENT_MS'))} a comment line keeps the connection alive; the stream ends when more than ${mib(limit('MAX_BUFFERED_BYTES'))} lies unread`,
  `At most ${count(limit('MAX_EVENT_STREAMS'))} streams, ${limit('MAX_EVENT_STREAMS_PER_ADDRESS')} of one address.`,
  `newest creation first, at most ${CREATOR_TOKENS_MAX};`,
  `An answer has at most ${count(BARS_MAX)} bars, the newest`,
  `may be asked for ${limit('UDF_HISTORY_LIMIT_TIMES')} times as often as \`RATE_LIMIT\` says`,
  `of at most ${MAX_QUOTES} symbols, in the order asked`,
]

const API = [
  `empty for a coin past the ${count(QUOTE_COINS_MAX)} that have a number`,
  `\`query\` (1 to ${MAX_QUERY_CHARACTERS} characters): mint, name or symbol, without case; at most ${SEARCH_RESULTS_MAX} |`,
  `\`mints\` (at most ${MAX_MINTS}, comma-separated;`,
  `\`limit\` (${DEFAULT_LIMIT}, 1 to ${MAX_LIMIT}); newest first`,
  `\`limit\` (${DEFAULT_LIMIT}, 1 to ${MAX_LIMIT}) |`,
  `for ${seconds(limit('MIN_SEQ_WAIT_MS'))} at most. Then it is a 503 \`position_not_reached\``,
  `A chart out of the ${seconds(limit('CHART_CACHE_MS'))} cache`,
  `\`Keep-Alive: timeout=${limit('KEPT_OPEN_S')}\``,
  `\`{"type":"ping"}\` every ${seconds(limit('PING_MS'))}. Close codes: 1009 message over ${kib(limit('MAX_MESSAGE_BYTES'))}, ` +
    `1012 going down, 4008 silent for ${seconds(limit('SILENCE_MS'))}, 4009 more than ${mib(limit('MAX_BUFFERED_BYTES'))} unread, ` +
    `4010 more than ${count(DEFAULT_LIMITS.messagesPerSecond)} messages or ${mib(limit('MAX_MESSAGE_BYTES_PER_SECOND'))} in a second`,
]

const API_CHOICES = [
  `\`countback\` is 0 to ${count(BARS_MAX)}, and 0 equals absent`,
  `When ${count(limit('MAX_COUNTED_CLIENTS'))} clients have a rate window on an endpoint`,
  `the ${count(limit('MAX_TABLE_READERS'))} ids read last are remembered`,
]

const LIMITS = [
  `| opened in ${seconds(limit('NEW_SOCKETS_WINDOW_MS'))} by one IPv4 address`,
  `requests of more than ${count(limit('MAX_CACHED_REQUEST_CHARACTERS'))} characters are answered anew`,
  `| a request's line and headers | ${kib(limit('MAX_HEADER_BYTES'))}, `,
  `| a body | ${kib(limit('MAX_BODY_BYTES'))} | 413 |`,
  `| a live message | ${kib(limit('MAX_MESSAGE_BYTES'))} | 1009 |`,
  `| mints that a connection follows | ${count(MAX_CONNECTION_KEYS.mint)} | an error frame |`,
  `| ${count(limit('MAX_POSITION_WAITS'))}, ${limit('MAX_POSITION_WAITS_PER_ADDRESS')} of one address; all programs of this machine share nine tenths; ${seconds(limit('MIN_SEQ_WAIT_MS'))} each`,
  `| what a live reader leaves unread | ${mib(limit('MAX_BUFFERED_BYTES'))} | 4009 |`,
  `At most ${count(limit('MAX_COUNTED_CLIENTS'))} clients an endpoint have a rate window of their own; the others share ${count(limit('SHARED_WINDOWS'))} windows`,
  `requests ${limit('TURN_MS')} ms, messages of live connections ${limit('LIVE_TURN_MS')} ms`,
  `works on the queue for ${limit('WAITING_SLICE_MS')} ms and gives each client ${limit('CLIENT_SLICE_MS')} ms`,
  `delays another by at most two slices (${2 * limit('CLIENT_SLICE_MS')} ms)`,
  `A connection may have ${mib(limit('MAX_INBOX_BYTES'))} of messages waiting, what it may send in a second (4010). All together may have ${mib(limit('MAX_INBOXES_BYTES'))}`,
  `A connection that asks for tables or candles while more than ${kib(limit('CATCH_UP_BUFFER_BYTES'))} lie unread waits`,
  `subscriptions of closed connections are removed in slices of ${limit('DEPARTURE_SLICE_MS')} ms`,
  `one in ${count(1 / limit('HELD_SHARE'))} is held back for ${limit('HELD_MS')} ms`,
  `every one above ${kib(limit('PROBED_BYTES'))}, is sent so that it stays pending`,
]

const INSTALL = [`after ${limit('MAX_CERTIFICATES')} in one run the next one is refused`]

const DATA_FOLDER = [
  `a segment ends at ${mib(SEGMENT_BYTES)}, at each snapshot`,
  `| ${count(TAPE_CHUNK_RECORDS)} swaps of the history |`,
  `A folder holds ${count(ROWS_MAX)} swaps`,
  `${seconds(SEED_TIMES.silenceMs)} without a byte`,
  `after ${SEED_TIMES.giveUpMs / 60_000} minutes in which nothing came`,
  `(version ${OLDEST_SNAPSHOT_VERSION} to ${SNAPSHOT_VERSION})`,
]

const MONITORING = [
  `of the newest ${count(WAITS_KEPT)}, and the longest since the start`,
  `the newest ${STALLS_MAX} turns of the loop above ${STALL_MS} ms, or above ${LONG_TURN_MS} ms of its own`,
  `a token with more than ${count(DORMANT_TRADERS_MAX)} traders`,
]

const percent = (share: number) => `${share * 100} %`
const FEEDS = [
  `nearly all of the first ${count(JUDGED_SWAPS)} swaps of a feed`,
  `the median of the venues with a quote in the last ${seconds(PRICE_RULES.freshMs)}. A quote further than ${percent(PRICE_RULES.jumpShare)} from the last price ` +
    `counts in two cases: more venues agree on it (within ${percent(PRICE_RULES.agreeShare)}) than stay behind, or none stays behind and it ` +
    `has lasted for ${seconds(PRICE_RULES.jumpWaitMs)}. The first price needs two venues that agree, or ${seconds(PRICE_RULES.firstAloneMs)}.`,
  `when it has changed by $${1 / PRICE_RULES.stepsPerUsd} or more`,
  `Live feeds wait up to ${seconds(FIRST_PRICE_MS)} for the first one. A venue that is silent for ${seconds(PRICE_RULES.silenceMs)}, ` +
    `or sends heartbeats and no price for ${seconds(PRICE_RULES.stallMs)}, is connected to anew`,
  `at most ${Math.floor(60_000 / EVERY_MS)} questions a minute`,
  `descriptions up to ${count(TEXT_LIMITS.description)}`,
]
const FETCHING = [
  `each of at most ${FETCH_LIMITS.redirects} redirects`,
  `${FETCH_LIMITS.bodyBytes / 1024} KB of body, ${seconds(FETCH_LIMITS.totalMs)} in all, ${seconds(FETCH_LIMITS.connectMs)} to connect, ` +
    `no packed bodies, ${TEXT_LIMITS.depth} levels of nesting`,
  `${QUEUE_LIMITS.running} requests at a time, ${QUEUE_LIMITS.foreignRunning} of them to hosts that are no gateway; ${QUEUE_LIMITS.hostRunning} at a time ` +
    `and ${QUEUE_LIMITS.hostPace.perSecond} a second to one host`,
  `A host that failed ${QUEUE_LIMITS.hostFailures} times in a row is left alone for a minute`,
  `no credentials in addresses, at most ${count(FETCH_LIMITS.urlCharacters)} characters`,
  `${count(QUEUE_LIMITS.uris)} uris wait`,
]

const client = settingsOf('http://127.0.0.1', {})
const CLIENT = [
  `after ${client.backoff.firstMs} ms, doubled up to ${seconds(client.backoff.longestMs)}, half of it by chance`,
  `a connection that is silent for ${seconds(client.silenceMs)} is given up`,
  `(${count(client.bufferMax)}, at least ${settingsOf('http://127.0.0.1', { bufferMax: 0 }).bufferMax}) wait in a subscription`,
  `goes on another (at most ${LANES_MAX})`,
  `At most ${URLS_MAX} urls; the first one is tried first`,
  `every \`lookEveryMs\` (${seconds(client.lookEveryMs)}) as long as something is followed`,
  `only after ${seconds(BEHIND_MAX_MS)} of such waiting the loss is told`,
]

test.each([
  ...LIVE.map((sentence) => ['docs/live.md', sentence] as const),
  ...API.map((sentence) => ['docs/api.md', sentence] as const),
  ...API_CHOICES.map((sentence) => ['docs/api-choices.md', sentence] as const),
  ...LIMITS.map((sentence) => ['docs/limits.md', sentence] as const),
  ...INSTALL.map((sentence) => ['docs/install.md', sentence] as const),
  ...DATA_FOLDER.map((sentence) => ['docs/data-folder.md', sentence] as const),
  ...MONITORING.map((sentence) => ['docs/monitoring.md', sentence] as const),
  ...FEEDS.map((sentence) => ['docs/feeds.md', sentence] as const),
  ...FETCHING.map((sentence) => ['docs/feeds-design.md', sentence] as const),
  ...CLIENT.map((sentence) => ['client/README.md', sentence] as const),
])('%s says what the program does: %s', (file, sentence) => {
  const text = readFileSync(join(ROOT, file), 'utf8').replaceAll(/\s+/g, ' ')
  expect(text.includes(sentence), sentence).toBe(true)
})

test('the client asks of a connection for as much as the service allows', () => {
  expect(LANE_MAX).toMatchObject({
    update_mint_info: MAX_CONNECTION_KEYS.mint,
    wallet_trades: MAX_CONNECTION_KEYS.wallet,
    meme_tables: limit('MAX_CONNECTION_TABLES'),
    candles: limit('MAX_CONNECTION_CANDLES'),
  })
})
