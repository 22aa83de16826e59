import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { byLength } from '../lengths.ts'

/** Contents to pack: well packed, badly packed, small and empty ones. */
export const CONTENTS = [
  Buffer.from('hello '.repeat(10)),
  Buffer.from('a line\n'.repeat(300_000)),
  randomBytes(200_000),
  Buffer.alloc(0),
  Buffer.from('end'),
]

/** Where a file is cut: at every byte, or in the short form at every ninth and around those places. */
export function cutsOf(packed: Buffer, around: readonly number[]): number[] {
  const ends = Array.from({ length: packed.length + 1 }, (_, end) => end)
  const isNear = (end: number) => around.some((at) => Math.abs(at - end) <= 1)
  return ends.filter((end) => end % byLength(9, 1) === 0 || isNear(end))
}

/** A file that is read in pieces of so many bytes. */
export function inPieces(packed: Buffer, pieceBytes: number): Readable {
  const pieces: Buffer[] = []
  for (let at = 0; at < packed.length; at += pieceBytes)
    pieces.push(packed.subarray(at, at + pieceBytes))
  return Readable.from(pieces)
}
