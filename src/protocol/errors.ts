/**
 * Everything the service can refuse, in one place: HTTP error codes with their status, codes of
 * WebSocket error frames, and close codes. Source of the rules: contract sections 3 and 4.
 */

/** Status line texts; `error` of the body repeats the text of the status. */
export const STATUS_TEXTS = {
  200: 'OK',
  202: 'Accepted',
  204: 'No Content',
  304: 'Not Modified',
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  426: 'Upgrade Required',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const
export type StatusCode = keyof typeof STATUS_TEXTS

/** Machine-readable `code` of an HTTP error and the status that goes with it. */
const HTTP_ERRORS = {
  missing_parameter: 400,
  invalid_parameter: 400,
  invalid_encoding: 400,
  empty_body: 400,
  invalid_json: 400,
  invalid_body: 400,
  foreign_page: 403,
  not_found: 404,
  method_not_allowed: 405,
  body_timeout: 408,
  other_epoch: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  upgrade_required: 426,
  rate_limited: 429,
  too_many_connections: 429,
  internal_error: 500,
  starting: 503,
  stopping: 503,
  overloaded: 503,
  deadline_exceeded: 503,
  position_not_reached: 503,
  history_unreadable: 503,
} as const satisfies Record<string, StatusCode>

/** `code` of a WebSocket error frame; the connection stays open after each of them. */
export type LiveErrorCode =
  | 'binary_frame'
  | 'invalid_json'
  | 'invalid_message'
  | 'unknown_event'
  | 'unknown_action'
  | 'id_mismatch'
  | 'missing_mint'
  | 'invalid_mint'
  | 'too_many_mints'
  | 'missing_wallet'
  | 'invalid_wallet'
  | 'too_many_wallets'
  | 'invalid_option'
  | 'unknown_option'
  | 'invalid_filter'
  | 'invalid_resolution'
  | 'invalid_countback'
  | 'too_many_tables'
  | 'too_many_candles'
  | 'not_local'
  | 'busy'
  | 'starting'
  | 'history_unreadable'

/** WebSocket close codes (RFC 6455 for 1xxx, our own for 4xxx). */
export const CLOSE_CODES = {
  /** A message was longer than the limit. */
  messageTooBig: 1009,
  /** A defect of the service, which its log has. */
  internalError: 1011,
  /** The service goes down and may come back: reconnect. */
  serviceRestart: 1012,
  /** Nothing came from the client for too long. */
  silent: 4008,
  /** The client reads slower than its trades arrive. */
  slowReader: 4009,
  /** The client sends more messages a second than it may. */
  tooManyMessages: 4010,
} as const

/** A refusal as a value; `message` is one sentence. */
export interface RequestError {
  readonly statusCode: StatusCode
  readonly code: keyof typeof HTTP_ERRORS
  readonly message: string
  /** `path` is the name of the parameter, or a dotted path into the body. */
  readonly details: readonly { readonly path: string; readonly message: string }[]
}

/** Makes a refusal; the status follows from the code. */
export function requestError(
  code: RequestError['code'],
  message: string,
  details: RequestError['details'] = [],
): RequestError {
  return { statusCode: HTTP_ERRORS[code], code, message, details }
}

/** The JSON body of an HTTP error: exactly the five keys of contract section 3. */
export function errorBody(error: RequestError): string {
  return JSON.stringify({
    statusCode: error.statusCode,
    error: STATUS_TEXTS[error.statusCode],
    message: error.message,
    code: error.code,
    details: error.details,
  })
}

/** A refusal of a request of the service itself, in JSON-RPC: below it are the codes of the protocols on top. */
const RPC_SERVER_ERROR = -32_000

/** The JSON body of an error where clients speak JSON-RPC; it is of no single request. */
export function rpcErrorJson({ message, code }: RequestError): string {
  const error = { code: RPC_SERVER_ERROR, message, data: { code } }
  return JSON.stringify({ jsonrpc: '2.0', id: null, error })
}
