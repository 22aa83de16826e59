/** What is read of a serialised transaction. */
export interface WireTransaction {
  readonly signature: string
  /** The keys written in the message; those of lookup tables are in the transaction's meta. */
  readonly accountKeys: readonly string[]
  /** So many of the keys, from the first on, signed it. */
  readonly signersCount: number
}
