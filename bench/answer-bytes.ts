/** An answer of the service as bytes, whichever way it was made. */
export function bytesOf(answer: string | Uint8Array): Buffer {
  return typeof answer === 'string' ? Buffer.from(answer) : Buffer.from(answer)
}
