/** Reads a stream to wherever it has come, in the background. */
export function gathered<T>(stream: AsyncIterable<T>): T[] {
  const updates: T[] = []
  void (async () => {
    for await (const update of stream) updates.push(update)
  })()
  return updates
}
