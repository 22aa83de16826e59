/**
 * The body of an answer as text, at most `bytesMax` bytes. Node's fetch with `redirect: 'error'` forgets its signal at the next
 * garbage collection once the headers are there (seen with 22.23.3): a body that goes silent would be waited for without end,
 * so the signal ends its reader here.
 * @throws the signal's reason once it is aborted; Error when the body is longer, or breaks off
 */
export async function responseText(
  response: Response,
  bytesMax: number,
  signal: AbortSignal,
): Promise<string> {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  const end = () => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', end)
  try {
    const parts: Uint8Array[] = []
    let bytes = 0
    for (;;) {
      signal.throwIfAborted()
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return Buffer.concat(parts).toString('utf8')
      bytes += value.byteLength
      if (bytes > bytesMax) {
        end()
        throw new Error(`the answer is longer than ${bytesMax} bytes`)
      }
      parts.push(value)
    }
  } finally {
    signal.removeEventListener('abort', end)
  }
}
