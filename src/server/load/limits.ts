/**
 * Every bound of the server, each with its reason. Milliseconds and bytes unless named.
 * What one connection may follow (1,000 mints) is part of the protocol: `protocol/live/live-messages.ts`; what a
 * user sets is in `config/surface.ts`.
 */

import { readSurface, SURFACE_DEFAULTS } from '../../config/surface.ts'
import { RECENT_ARRIVALS_MAX } from '../../protocol/queries.ts'
import type { StreamChannel } from '../../protocol/wire.ts'

/** Where a user sets none (docs/limits.md). */
export const DEFAULT_LIMITS = readSurface(SURFACE_DEFAULTS).limits

/** Descriptors that sockets leave free: files, pipes, feeds. Without one to accept, the loop spins. */
export const RESERVED_DESCRIPTORS = 256
/** What sockets may have of them where there are too few for that. */
export const SOCKETS_SHARE_MIN = 1 / 4

/** About as long as uWebSockets.js keeps a socket open that brings nothing, or no whole request. */
export const NEW_SOCKETS_WINDOW_MS = 10_000

/** Share of all sockets that one address may begin in that time at most, where there are few. */
export const NEW_SOCKETS_SHARE = 1 / 8

/**
 * While less than this share of all sockets is free answers close their connection: a place is held
 * by who asks, and not by who has asked.
 */
export const SCARCE_SHARE = 1 / 8

/**
 * Bytes of a request's line, url and headers at most; uWebSockets.js answers 431 past it. Its own
 * default of 4 KiB is less than a market-data query of 100 mints needs.
 */
export const MAX_HEADER_BYTES = 16 * 1024

/** Bytes of a request body at most (contract section 3). */
export const MAX_BODY_BYTES = 16 * 1024

/** An answer that its client has not read after this time is given up, and the socket closed. */
export const SEND_DEADLINE_MS = 120_000

/**
 * Requests are answered at once for this long in one turn of the loop; those that come on top wait
 * for a later turn, and who has sent another one behind such a request is cut off.
 */
export const TURN_MS = 4

/** The same for messages of live connections: to wait costs them next to nothing. */
export const LIVE_TURN_MS = 1

/**
 * What uWebSockets.js does behind a request, as sending its answer, counts as the request's for so long; what
 * a turn does between two requests beyond that is held against nobody.
 */
export const AFTERWORK_MS = 0.1

/** A route that has much to look through goes on in a later turn after this time. */
export const ROUTE_SLICE_MS = 1

/** What waits is worked off for this long in one turn. */
export const WAITING_SLICE_MS = 1

/** Or for this share of a turn that took long: where turns are few, what waits must not wait for ever. */
export const WAITING_SHARE = 1 / 4

/** Of that time a client has so much before the next one has its turn. */
export const CLIENT_SLICE_MS = 0.5

/** What one step took longer than that is waited off later, up to so much. */
export const CLIENT_DEBT_MS = 10

/**
 * Requests and connections with messages that wait at most: there is one a socket. Past it what comes
 * is done at once.
 */
export const MAX_WAITING = 60_000

/** Share of answers that are sent so that a client that does not read them is found. */
export const PROBED_SHARE = 1 / 8

/**
 * Share of answers without a body (HEAD, OPTIONS, 304) that are held back for a moment: uWebSockets.js
 * does not tell whether such an answer is read, and a client that reads none would fill the memory.
 */
export const HELD_SHARE = 1 / 1024

/** How long; whoever sends its next request before the answer came is cut off. */
export const HELD_MS = 20

/** Answers from this size on are always sent that way: a few of them unread would be much. */
export const PROBED_BYTES = 256 * 1024

/**
 * Certificates that one run reads at most, each of which keeps some memory until the end; past it
 * the present one stays, and the reload says that a restart is needed.
 */
export const MAX_CERTIFICATES = 64

/** Bodies below this size cost more to compress than they save on the wire. */
export const MIN_COMPRESSED_BYTES = 1024

/** Brotli's quality: 4 compresses as well as gzip's default at about its speed. */
export const BROTLI_QUALITY = 4

/** Gzip's level: 4 is a third of the time of 6 for a few percent more bytes. */
export const GZIP_LEVEL = 4

/** What keeping one answer takes beside its key and its body: most of a short one. */
export const KEPT_ANSWER_BYTES = 1024

/**
 * Characters of a request whose answer, and whose parsed body, are kept at most; a table's body with every
 * filter there is has half as many. V8 hashes a text of 16,384 and more by its length alone: of thousands
 * that are equally long each look would compare them all.
 */
export const MAX_KEPT_REQUEST_CHARACTERS = 8 * 1024

/** The chart's result is cached this long (specification, Limits). */
export const CHART_CACHE_MS = 5000

/** Chart results kept at most. */
export const MAX_CHART_RESULTS = 2000

/** Bytes of those results in all, with their compressed forms. */
export const MAX_CHART_BYTES = 64 * 1024 * 1024

/**
 * Charts that are being written turn by turn at most, of 1.5 MB each; one more is written in one go.
 * One that nobody goes on with is forgotten after CHART_CACHE_MS.
 */
export const MAX_CHART_WRITINGS = 32

/** Parsed table bodies kept: pollers send the same few bodies every two seconds. */
export const MAX_PARSED_BODIES = 512

/**
 * TradingView's adapter asks for the last bars of each chart of a page at each of its pulses, one a second in
 * docs/live.md: the history of UDF may be asked for so many times as often as the rate limit says.
 */
export const UDF_HISTORY_LIMIT_TIMES = 5

/** Clients counted per endpoint; when full of running windows, those that come new share windows. */
export const MAX_COUNTED_CLIENTS = 100_000

/** Windows per endpoint that clients share when there is no room for one of their own. */
export const SHARED_WINDOWS = 4096

/** Addresses of an X-Forwarded-For read from the right; further ones are nobody's proxy chain. */
export const MAX_FORWARDED_HOPS = 32

/** While the service starts a client is told to come back after this many seconds. */
export const STARTING_RETRY_S = 2

/** Whom a full service or a full address sends away comes back after this many seconds: others leave within some. */
export const FULL_RETRY_S = 5

/** After an answer that was not ready in time: what held it up is one burst, over in a second. */
export const LATE_RETRY_S = 1

/** Running requests get this long to finish when the server stops. */
export const STOP_REQUESTS_MS = 5000

/** Closed live connections get this long to read their close frame when the server stops. */
export const STOP_CLOSE_FRAMES_MS = 200

/** How often a stopping server looks whether its requests are done. */
export const STOP_POLL_MS = 10

/** Ids whose last table answer is kept for `update_pools_info`; the longest unread goes first. */
export const MAX_TABLE_READERS = 2000

/** Characters of an `x-socket-id` that counts; a connection's id has at most 128 code points. */
export const MAX_SOCKET_ID_CHARACTERS = 256

/** Bytes of a client's live message at most; past it the connection closes with 1009. */
export const MAX_MESSAGE_BYTES = 64 * 1024

/**
 * What uWebSockets.js takes in before it cuts the socket. It sends no close frame when it cuts, so
 * messages up to this size are read whole and refused by a proper 1009.
 */
export const MAX_RECEIVED_BYTES = 2 * 1024 * 1024

/**
 * Bytes a second of one live connection's messages at most, and of all that one address has: long
 * ones cost more than short ones.
 */
export const MAX_MESSAGE_BYTES_PER_SECOND = 16 * 1024 * 1024

/**
 * Bytes of messages of one live connection that wait for a later turn at most, as much as it may send
 * in a second; past it the connection closes with 4010.
 */
export const MAX_INBOX_BYTES = MAX_MESSAGE_BYTES_PER_SECOND

/** What keeping one such message takes beside its bytes. */
export const INBOX_MESSAGE_BYTES = 256

/**
 * Bytes of such messages of all connections; past it those close that have more than an equal part
 * waiting, so that there is never more than twice as much.
 */
export const MAX_INBOXES_BYTES = 32 * 1024 * 1024

/** Clients whose last second is remembered after they left; the one that left first is forgotten. */
export const MAX_RESTING_LOADS = 10_000

/**
 * Whoever lags behind the changes of a state gets the whole of it once no more than this lies unread; a change that
 * is longer than CATCH_UP_BUFFER_BYTES comes to nobody else either.
 */
export const LITTLE_UNREAD_BYTES = 64 * 1024

/**
 * Bytes buffered for one live connection at most; past it the connection closes with 4009. What is
 * left of a snapshot comes on top, and of a change as long: 5,000 bars are 1 MB by themselves.
 */
export const MAX_BUFFERED_BYTES = 1024 * 1024

/** uWebSockets.js cuts a socket that was closed and is not read on after about twelve seconds. */
export const CLOSING_MS = 16_000

/** Buffers are looked at whenever this many bytes were published since the last look. */
export const BUFFER_CHECK_BYTES = 64 * 1024

/** Buffers are looked at this long after a publish at the latest. */
export const BUFFER_CHECK_MS = 10

/** A ping goes to every live connection this often (contract section 4). */
export const PING_MS = 30_000

/** A connection that sent nothing for this long is closed with 4008 (contract section 4). */
export const SILENCE_MS = 60_000

/**
 * Seconds that an idle connection stays open for a next request, told to clients (`Keep-Alive`), so
 * that they do not send one into a connection that is being closed. uWebSockets.js closes after ten,
 * which it counts in steps of four: after eight to twelve. Two less are told: a client that takes it
 * exactly is late by as much as its loop is held.
 */
export const KEPT_OPEN_S = 6

/**
 * Idle seconds after which uWebSockets.js cuts a socket by itself. Above the silence of the
 * keep-alive, which alone closes with a code, and not 0: a closing socket would then be cut within
 * 4 s instead of about 12 s, before a slow reader has read its close frame.
 */
export const SOCKET_IDLE_S = 80

/** Keep-alive looks at every connection at most this often. */
export const KEEP_ALIVE_TICK_MS = 1000

/**
 * Missed messages of one stream that a resume brings at most; past it the client starts anew. Those
 * of wallets and of all mints together are no more than the newest arrivals that are remembered.
 */
export const MAX_REPLAYED: { readonly [C in StreamChannel]: number } = {
  update_mint_info: 10_000,
  mint_migration: 10_000,
  new_launched_pool: 10_000,
  wallet_trades: RECENT_ARRIVALS_MAX,
  all_trades: RECENT_ARRIVALS_MAX,
}

/** Missed messages of all mints of one subscription at most: a message asks for bounded work. */
export const MAX_REPLAYED_TOGETHER = 50_000

/**
 * Streams that are being brought up to now, of all connections whose clients read; further ones are
 * `busy`. Those of one that does not read wait aside, at most as many as it may follow.
 */
export const MAX_CATCH_UPS = 50_000

/** Missed messages sent in one go at most; about a quarter of a MiB of trades. */
export const CATCH_UP_FRAMES = 200

/** Replays and snapshots wait while more than this lies unread, far below what cuts the connection. */
export const CATCH_UP_BUFFER_BYTES = 256 * 1024

/** Replays hold the loop for this long at a time. */
export const CATCH_UP_SLICE_MS = 2

/** A client that reads slowly is looked at again after this time, should nothing tell that it has read. */
export const CATCH_UP_RETRY_MS = 1000

/** Live tables of one connection at most. */
export const MAX_CONNECTION_TABLES = 10

/** Distinct live tables at most: each is computed whenever anything changed. */
export const MAX_TABLES = 500

/**
 * Characters of all live tables that are kept to tell what changes, of up to two bytes each: as many as the longest
 * tables of usual rows have. Rows with the longest texts have ten times as many; past it tables are told whole.
 */
export const MAX_TABLES_CHARACTERS = 256 * 1024 * 1024

/**
 * Part of all live connections that programs of this machine may have together. No single address bounds them, and
 * one that never closes what it opens, or a proxy whose clients are not told apart (no TRUST_PROXY), would lock
 * out everybody else.
 */
export const LOOPBACK_CONNECTIONS_SHARE = 0.9

/** Of one client address, loopback not counted: those that it is the first to follow. */
export const MAX_TABLES_PER_ADDRESS = 100

/** Live candles of one connection at most. */
export const MAX_CONNECTION_CANDLES = 100

/** Distinct (mint, resolution) followed at most. */
export const MAX_CANDLES = 5_000

/** Of one client address, counted as its tables are. */
export const MAX_CANDLES_PER_ADDRESS = 1_000

/** Changes of tables are gathered for this long. */
export const TABLES_EVERY_MS = 250

/** Changes of candles are gathered for this long. */
export const CANDLES_EVERY_MS = 100

/** Tables and candles hold the loop for this long at a time. */
export const STATE_SLICE_MS = 4

/** Closed connections are taken out of what they followed for this long at a time. */
export const DEPARTURE_SLICE_MS = 2

/** And then not again for so long: while thousands close, their closing needs the loop. */
export const DEPARTURE_PAUSE_MS = 20

/** Closed connections that wait for it at most; past it one is done for each that closes. */
export const MAX_DEPARTED = 50_000

/** Streams of server-sent events at most. */
export const MAX_EVENT_STREAMS = 2_000

/** Of one client at most: a house of people behind one address, and a tenth of all. */
export const MAX_EVENT_STREAMS_PER_ADDRESS = 200

/**
 * Bytes of such a stream that uWebSockets.js is given at a time: of what it was given and keeps it tells no more than
 * whether it is all gone, so that what lies unread is known up to so much.
 */
export const EVENT_STREAM_PIECE_BYTES = 16 * 1024

/** A comment keeps a stream of server-sent events alive this often. */
export const EVENT_STREAM_COMMENT_MS = 8_000

/** Streams that came before the state is there are begun so soon after it is. */
export const HELD_STREAMS_LOOK_MS = 50

/** Lines of the log about history that the disk does not give: so many at once, and one more after each such time. */
export const DAMAGE_LINES = 20
export const DAMAGE_LINE_MS = 1_000

/** Files of the built page at most; one that has more is not a page of this program. */
export const MAX_DASHBOARD_FILES = 64

/** Bytes of those files in all, uncompressed: they stay in memory. */
export const MAX_DASHBOARD_BYTES = 4 * 1024 * 1024
