/** Whether a WebSocket ended because of a message above its limit, as the library calls it. */
export function isTooLong(error: Error & { readonly code?: string }): boolean {
  return error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'
}
