/** Every bound of the server, each with its reason. Milliseconds and bytes unless named. */

/** Bytes of a request body at most (contract section 3). */
export const MAX_BODY_BYTES = 16 * 1024

/** A body that is not complete after this time is answered 408 and the socket closed. */
export const BODY_DEADLINE_MS = 10_000

/** A route that has not answered after this time is answered for: 503. */
export const ROUTE_DEADLINE_MS = 10_000

/** Bodies below this size cost more to compress than they save on the wire. */
export const MIN_COMPRESSED_BYTES = 1024

/** Brotli's quality: 4 compresses as well as gzip's default at about its speed. */
export const BROTLI_QUALITY = 4

/** Gzip's level: 4 is a third of the time of 6 for a few percent more bytes. */
export const GZIP_LEVEL = 4

/** Encoded answers kept because pollers ask for the same text again and again. */
export const MAX_ENCODED_BODIES = 256

/** Bytes of those answers in all, compressed forms included. */
export const MAX_ENCODED_BYTES = 32 * 1024 * 1024

/** The chart's result is cached this long (specification, Limits). */
export const CHART_CACHE_MS = 5000

/** Chart results kept at most. */
export const MAX_CHART_RESULTS = 2000

/** Characters of those results in all. */
export const MAX_CHART_CHARACTERS = 64 * 1024 * 1024

/** Parsed table bodies kept: pollers send the same few bodies every two seconds. */
export const MAX_PARSED_BODIES = 512

/** Clients counted per endpoint; when full the oldest window is forgotten first. */
export const MAX_COUNTED_CLIENTS = 100_000

/** Addresses of an X-Forwarded-For read from the right; further ones are nobody's proxy chain. */
export const MAX_FORWARDED_HOPS = 32

/** While the service starts a client is told to come back after this many seconds. */
export const STARTING_RETRY_S = 2

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

/** Live connections at most; the next upgrade is answered 503. */
export const MAX_CONNECTIONS = 50_000

/** Bytes of a client's live message at most; past it the connection closes with 1009. */
export const MAX_MESSAGE_BYTES = 64 * 1024

/**
 * What uWebSockets.js takes in before it cuts the socket. It sends no close frame when it cuts, so
 * messages up to this size are read whole and refused by a proper 1009.
 */
export const MAX_RECEIVED_BYTES = 2 * 1024 * 1024

/** Bytes buffered for one live connection at most; past it the connection closes with 4009. */
export const MAX_BUFFERED_BYTES = 1024 * 1024

/** Buffers are looked at whenever this many bytes were published since the last look. */
export const BUFFER_CHECK_BYTES = 64 * 1024

/** Buffers are looked at this long after a publish at the latest. */
export const BUFFER_CHECK_MS = 10

/** A ping goes to every live connection this often (contract section 4). */
export const PING_MS = 30_000

/** A connection that sent nothing for this long is closed with 4008 (contract section 4). */
export const SILENCE_MS = 60_000

/**
 * Idle seconds after which uWebSockets.js cuts a socket by itself. Above the silence of the
 * keep-alive, which alone closes with a code, and not 0: a closing socket would then be cut within
 * 4 s instead of about 12 s, before a slow reader has read its close frame.
 */
export const SOCKET_IDLE_S = 80

/** Keep-alive looks at every connection at most this often. */
export const KEEP_ALIVE_TICK_MS = 1000
