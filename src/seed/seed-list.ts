/**
 * `seed` is how a new instance comes to the market of a running one. In: the data folder of the one that gives
 * (seed-source.ts, asked through its admin surface), SEED_URL of the one that takes (seed-folder.ts, which asks by
 * seed-client.ts). Out: a folder with a snapshot and its chunks, each proven, from which a start goes on as from a backup.
 *
 * - The snapshot gets its name last: before, a start finds no market in the folder.
 * - No journal goes along and no `written`, so that the start gives the stream a new epoch: both instances count on
 *   from one seq, each for itself.
 */
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { ChunkCrcs } from '../store/format/recorded-values.ts'

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const SeedSnapshot = Type.Object({
  name: Type.String(),
  /** Seq behind the last event in it. */
  seq: Count,
  bytes: Count,
  /** Version of its format. */
  version: Count,
  epoch: Type.String(),
  /** Sha-256 of the state in it. */
  digest: Type.String(),
  /** Its ETag, without the quotes. */
  tag: Type.String(),
  /** The chunks that it needs, by their crcs, which are their ETags. */
  chunks: ChunkCrcs,
  /** Bytes of each chunk of swaps; left out by versions whose swaps are not packed. */
  swapChunkBytes: Type.Optional(Type.Array(Count)),
})
export type SeedSnapshot = Type.Static<typeof SeedSnapshot>

/** What `GET /seed` answers. */
export const SeedList = Type.Object({
  /** Version of the program that gives. */
  program: Type.String(),
  /** Of its folder; null: it does not say. */
  market: Type.Union([Type.Literal('simulated'), Type.Literal('chain'), Type.Null()]),
  /** Of its stream now; snapshots of the one before may still be there. */
  epoch: Type.String(),
  /** Ascending by seq. */
  snapshots: Type.Array(SeedSnapshot),
})
export type SeedList = Type.Static<typeof SeedList>
export const seedList = Compile(SeedList)
