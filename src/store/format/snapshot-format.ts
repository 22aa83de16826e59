import Type from 'typebox'
import type { EngineSettings } from '../../base/thresholds.ts'

/**
 * The layout of a snapshot, version 10, little-endian:
 *
 *     header   magic, version, zeros (16 bytes)
 *     parts    the bytes of each part, each padded with zeros to 8 bytes
 *     contents JSON of `Contents`
 *     footer   offset and length of the contents, their crc, version, magic (32 bytes)
 *
 * It is written in one go and found by its end, so that a torn one has none. Header and footer of
 * later versions stay as they are, each with the version, so that an older program knows them.
 */
export const SNAPSHOT_MAGIC = 'MFSNAPS\n'
export const SNAPSHOT_VERSION = 10
/** The oldest that is read (store/upgrades). */
export const OLDEST_SNAPSHOT_VERSION = 9
export const SNAPSHOT_HEADER_BYTES = 16
export const SNAPSHOT_FOOTER_BYTES = 32
/** Byte offsets in the footer. */
export const FOOTER = { contentsAt: 0, contentsBytes: 8, crc: 16, version: 20, magic: 24 } as const
/** Largest table of contents that is believed. */
export const CONTENTS_BYTES_MAX = 64 << 20

/** A part of the state in the file. */
export interface PartEntry {
  readonly name: string
  readonly facts: readonly number[]
  /** Offset of its bytes in the file, and how many. */
  readonly at: number
  readonly bytes: number
  readonly crc: number
}

/**
 * Crc of the header of each chunk that a state leaves records to, from the first (tape-chunk.ts): so that
 * no other file is taken for one.
 */
export const ChunkCrcs = Type.Object({
  swaps: Type.Array(Type.Integer({ minimum: 0 })),
  positions: Type.Array(Type.Integer({ minimum: 0 })),
})
export type ChunkCrcs = Type.Static<typeof ChunkCrcs>

export interface Contents {
  /** Seq behind the last event in it. */
  readonly seq: number
  readonly epoch: string
  /** Segment of the journal that goes on behind it. */
  readonly segment: number
  readonly settings: EngineSettings
  /**
   * Version of the first of the snapshots that it goes back to, where that is an older one: the journal
   * from its beginning may come to other bytes of the same state.
   */
  readonly upgradedFrom?: number
  readonly chunks: ChunkCrcs
  /** Sha-256 of the state (snapshot-file.ts). */
  readonly digest: string
  readonly parts: readonly PartEntry[]
}

/** Version that a snapshot goes back to which is made of one with these contents; the present one: nothing. */
export function upgradedFrom({
  version,
  upgradedFrom,
}: Contents & { readonly version: number }): Pick<Contents, 'upgradedFrom'> {
  if (upgradedFrom !== undefined) return { upgradedFrom }
  return version < SNAPSHOT_VERSION ? { upgradedFrom: version } : {}
}

/** Records of the tape that a snapshot leaves to chunks (engine/state/tape.ts). */
export function archivedRecordsOf(contents: Contents): number {
  return archivedOf(contents, 'tape')
}

/** Records of the dormant tape that it leaves to chunks. */
export function archivedPositionsOf(contents: Contents): number {
  return archivedOf(contents, 'dormant tape')
}

function archivedOf({ parts }: Contents, tape: string): number {
  return parts.find(({ name }) => name === tape)?.facts[1] ?? 0
}
