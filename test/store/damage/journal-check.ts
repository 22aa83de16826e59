import { StoreError } from '../../../src/store/disk/failure.ts'
import { dataPath, type NumberedFile } from '../../../src/store/folder/data-folder.ts'
import type { SegmentScan } from '../../../src/store/format/journal-format.ts'
import { type JournalEnd, walkJournal } from '../../../src/store/journal/journal-scan.ts'
import { ImageDisk } from './image-disk.ts'
import { type Expected, expectedOf, type ImageSegment } from './journal-model.ts'
import type { WrittenFrame, WrittenSegment } from './journal-run.ts'

const FOLDER = '/images'
/** Rests of a walk over so few frames; more is a walk that does not end. */
const RESTS_MAX = 1_000

/** The journal of a folder, ever damaged anew, read and compared with what the model says. */
export class JournalImages {
  /** Images by verdict. */
  readonly verdicts = new Map<string, number>()
  readonly #disk = new ImageDisk()
  readonly #runs: readonly (readonly WrittenSegment[])[]
  readonly #fromSeq: number
  readonly #files: readonly NumberedFile[]

  /** `runs`: the journal itself, then others that parts of may stand in its files. */
  constructor(runs: readonly (readonly WrittenSegment[])[], fromSeq: number) {
    this.#runs = runs
    this.#fromSeq = fromSeq
    this.#files = runs[0].map(({ number }) => {
      const path = dataPath(FOLDER, 'segment', number)
      return { number, name: path.slice(FOLDER.length + 1), path }
    })
  }

  /** Reads an image; what is wrong with what the reader made of it, or null. */
  wrongWith(image: readonly ImageSegment[]): string | null {
    const expected = expectedOf(image, this.#runs, this.#fromSeq)
    const { kind } = expected.verdict
    this.verdicts.set(kind, (this.verdicts.get(kind) ?? 0) + 1)
    image.forEach(({ bytes }, i) => {
      this.#disk.files.set(this.#files[i].path, bytes)
    })
    const handed = { frames: 0, wrong: null as string | null }
    const visit = (frame: SegmentScan) => {
      handed.wrong ??= unlike(frame, expected.frames[handed.frames], handed.frames)
      handed.frames += 1
    }
    const verdictWrong = this.#verdictWrong(expected, visit)
    if (handed.wrong !== null) return handed.wrong
    if (handed.frames !== expected.frames.length)
      return `${handed.frames} frames instead of ${expected.frames.length}`
    return verdictWrong
  }

  #verdictWrong({ verdict, seq }: Expected, visit: (frame: SegmentScan) => void): string | null {
    let found: string
    try {
      const end = this.#walk(visit)
      found = `${end.cut === null ? 'whole' : `cut ${end.cut.path} ${end.cut.byte}`} seq ${end.seq}`
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      const place = /(\S+), byte (\d+), seq (\d+);/.exec(error.message)?.slice(1) ?? []
      const [path = '', byte = '', at = ''] = place
      found = error.code === 'damaged' ? `damaged ${path} ${byte} seq ${at}` : error.code
    }
    let right: string = verdict.kind
    const endSeq = Math.max(seq, this.#fromSeq)
    if ('place' in verdict) right += ` ${this.#files[verdict.place].path} ${verdict.byte}`
    if (verdict.kind !== 'missing') right += ` seq ${verdict.kind === 'damaged' ? seq : endSeq}`
    return found === right ? null : `the verdict "${found}" instead of "${right}"`
  }

  #walk(visit: (frame: SegmentScan) => void): JournalEnd {
    const none = {
      snapshots: [],
      chunks: [],
      dormantChunks: [],
      unfinished: [],
      snapshotsAside: [],
    }
    const files = { ...none, segments: this.#files }
    const walk = walkJournal(this.#disk, files, this.#fromSeq, visit)
    for (let rests = 0; rests < RESTS_MAX; rests += 1) {
      const step = walk.next()
      if (step.done) return step.value
    }
    throw new Error('the walk does not end')
  }
}

/** In what a frame that was handed out is not the one that was written, or null. */
function unlike(frame: SegmentScan, written: WrittenFrame | undefined, at: number): string | null {
  if (written === undefined) return `frame ${at} was handed out but is not a good one`
  const isSame =
    frame.kind === written.kind &&
    frame.seq === written.seq &&
    frame.syncedSeq === written.syncedSeq &&
    frame.events === written.events &&
    Buffer.compare(frame.payload, written.payload) === 0
  return isSame ? null : `frame ${at} is not as it was written`
}
