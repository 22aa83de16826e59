/**
 * Says beside the journal how far it was written. The journal alone cannot tell that its end is gone:
 * a copy that was taken earlier, or a file cut between two frames, reads as well as the whole.
 */
export interface CommitMarker {
  /** Is it memory, so that to reach costs no call of the kernel? */
  readonly isMemory: boolean
  /** A process begins to write in this segment, behind this seq; the disk has it when this returns. */
  begin(about: MarkAbout): void
  /** Everything before this seq is written. */
  reach(seq: number): void
  /** The journal was closed in order in this segment; the disk has it when this returns. */
  close(segment: number): void
}

export interface MarkAbout {
  readonly seq: number
  readonly segment: number
  readonly epoch: string
  readonly boot: string
}

/** What the process before has left in its mark. */
export interface WrittenBefore extends MarkAbout {
  readonly isClosed: boolean
  /** Is the mark the very file that the process wrote, in no other folder as well, and so the folder no copy? */
  readonly isHere: boolean
}

/** What a start has found of the stream. */
export interface FoundStream {
  readonly place: { readonly seq: number; readonly segment: number }
  /** The last segment that is there, 0 for none. */
  readonly lastSegment: number
  readonly epoch: string | null
  /** Does the journal say that it was closed in order? */
  readonly isClosed: boolean
  /** Does more than half a write stand behind its last good frame, which a client may have seen? */
  readonly isTailDamaged: boolean
}

/** The boot of a machine that does not tell it. */
export const UNKNOWN_BOOT = '00000000-0000-0000-0000-000000000000'

/**
 * Why events that a client saw may be gone, in words that go on a sentence; null when it is certain
 * that none is.
 *
 * What a killed process had written is in the memory of its machine, so the folder has it as long as
 * the machine runs. After another boot only a journal that was closed, and so synced, has everything.
 */
export function lossOf(
  found: FoundStream | null,
  written: WrittenBefore | null,
  boot: string,
): string | null {
  if (found === null) return lossOfAll(written)
  if (written === null) return 'nothing in the folder says how far it had been written'
  if (written.epoch !== found.epoch) return 'the journal is not the one that was written here last'
  const gone = goneBehind(found.place, written)
  if (gone !== null) return gone
  if (!written.isHere)
    return 'the folder is a copy, or shares its files with one, and the other may have been written on'
  if (found.isClosed || (written.isClosed && found.lastSegment <= written.segment)) return null
  if (found.isTailDamaged)
    return 'what stands at the end of the journal is damaged, and may be events that were seen'
  if (written.boot === boot && boot !== UNKNOWN_BOOT) return null
  return 'the machine went down, or does not tell, before the journal was closed'
}

/** As `lossOf` of a folder without a journal and a snapshot: it need not be a new one. */
export function lossOfAll(written: WrittenBefore | null): string | null {
  // A mark that was copied says nothing of the folder it was copied to.
  return written?.isHere === true ? goneBehind({ seq: 0, segment: 0 }, written) : null
}

function goneBehind({ seq, segment }: FoundStream['place'], written: WrittenBefore): string | null {
  if (written.seq > seq)
    return `events ${seq} to ${written.seq - 1} had been written and are not there any more`
  if (written.segment > segment)
    return `segment ${written.segment} of the journal had been begun and is not there any more`
  return null
}
