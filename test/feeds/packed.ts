import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'

/** Contents to pack: well packed, badly packed, small and empty ones. */
export const CONTENTS = [
  Buffer.from('hello '.repeat(10)),
  Buffer.from('a line\n'.repeat(300_000)),
  randomBytes(200_000),
  Buffer.alloc(0),
  Buffer.from('end'),
]

/** A file that is read in pieces of so many bytes. */
export function inPieces(packed: Buffer, pieceBytes: number): Readable {
  const pieces: Buffer[] = []
  for (let at = 0; at < packed.length; at += pieceBytes)
    pieces.push(packed.subarray(at, at + pieceBytes))
  return Readable.from(pieces)
}
