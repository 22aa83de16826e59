import type { StoreError } from '../store/disk/failure.ts'

/** What a data folder holds at the stop, in one sentence: journal and snapshot, and what is in neither. */
export function keptSentence(
  folder: string,
  seq: number,
  syncedSeq: number,
  snapshotSeq: number,
  failure: StoreError | null,
): string {
  const count = (events: number) => events.toLocaleString('en')
  const snapshot = `its newest snapshot holds seq ${count(snapshotSeq)}`
  if (failure !== null)
    return `events up to seq ${count(syncedSeq)} are in the journal of ${folder}, and none that came after the disk refused; ${snapshot}.`
  if (seq === 0) return `no event has come to ${folder}.`
  if (snapshotSeq === seq)
    return `all events are kept: the journal of ${folder} ends at seq ${count(seq)}, and so does its newest snapshot.`
  return `all events are kept: the journal of ${folder} ends at seq ${count(seq)}; ${snapshot}, and the next start reads what follows.`
}
