import type { Transform } from 'node:stream'

/** A decompressor of `node:zlib`, which counts what it has used of its input. */
interface Decompressor extends Transform {
  readonly bytesWritten: number
}

/** Everything that comes out of one piece of input. */
export async function* outputOf(decompressor: Decompressor, input: Buffer): AsyncGenerator<Buffer> {
  let isTaken = false
  const taken = new Promise<void>((resolve, reject) => {
    const done = (error?: Error | null) => {
      isTaken = true
      decompressor.off('end', done)
      decompressor.off('error', done)
      if (error) reject(error)
      else resolve()
    }
    decompressor.once('end', done)
    decompressor.once('error', done)
    decompressor.write(input, done)
  })
  taken.catch(() => {})
  while (!isTaken) {
    yield* readable(decompressor)
    if (isTaken) break
    const more = Promise.withResolvers<void>()
    decompressor.once('readable', more.resolve)
    await Promise.race([more.promise, taken])
    decompressor.off('readable', more.resolve)
  }
  await taken
  yield* readable(decompressor)
}

function* readable(decompressor: Decompressor): Generator<Buffer> {
  for (let part = decompressor.read(); part !== null; part = decompressor.read()) yield part
}
