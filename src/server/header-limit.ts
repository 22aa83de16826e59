/**
 * Bytes of a request's line and headers at most. The library reads it from the environment when it
 * is loaded, so this module must be imported before it; its own default of 4 KiB is less than a
 * market-data query of 100 mints needs.
 */
export const MAX_HEADER_BYTES = 16 * 1024

process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(MAX_HEADER_BYTES)
