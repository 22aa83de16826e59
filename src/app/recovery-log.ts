import type { Log } from '../server/http/exchange.ts'
import type { StoreError } from '../store/disk/failure.ts'
import type { Recovered } from '../store/recovery/recovery.ts'
import type { Service } from './service.ts'

/** Logged when the journal ends with bytes that are not the beginning of a frame. */
const PUT_ASIDE =
  'the journal ends with bytes that do not go on where its last good frame ends: they were put aside, ' +
  'delete them when they are of no use'

/** Logged when the epoch is a new one; that of a folder that was seeded always is. */
const NEW_EPOCH = 'events may be lost: the stream has a new epoch'

/** Logs what a recovery found; `isLoss`: a new epoch means that events may be lost. */
export function logRecovery(
  recovered: Recovered,
  isLoss: boolean,
  service: Service,
  durationMs: number,
  log: Log,
): void {
  if (recovered.loss !== null && isLoss)
    log.warn({ epoch: recovered.epoch, reason: recovered.loss }, NEW_EPOCH)
  const { cut, damagedSnapshots, place, putAside } = recovered
  for (const path of damagedSnapshots)
    log.error({ path }, 'a snapshot is damaged: the one before it was used')
  if (cut?.isUnfinished)
    log.warn({ ...cut }, 'the journal ended in the middle of a write: the tail was cut off')
  else if (cut !== null) log.warn({ ...cut, putAside }, PUT_ASIDE)
  log.info(
    {
      seq: place.seq,
      snapshotSeq: recovered.snapshotSeq,
      frames: recovered.framesFolded,
      ringBytes: recovered.ringBytes,
      tokens: service.engine.state.tokens.count,
      durationMs: Math.round(durationMs),
      epoch: recovered.epoch,
    },
    'recovered',
  )
}

/** What a data folder holds at the stop, in one sentence: journal, snapshot, and events in neither. */
export function storedSentence(
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
