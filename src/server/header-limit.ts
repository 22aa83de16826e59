/**
 * The library reads its limit of a request's head from the environment when it is loaded, so this
 * module must be imported before it.
 */
import { MAX_HEADER_BYTES } from './limits.ts'

process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(MAX_HEADER_BYTES)
