import { StateError, type StatePart, sizesOf } from '../../../src/engine/memory/state-part.ts'
import {
  loadParts,
  readContents,
  writeSnapshot,
} from '../../../src/store/snapshot/snapshot-file.ts'
import type { Random } from '../../oracle/random.ts'
import { ImageDisk } from './image-disk.ts'
import { randomBytes } from './journal-run.ts'

const FOLDER = '/images'
const PATH = `${FOLDER}/snapshot`
const PARTS = 5
const VIEW_BYTES_MAX = 90
const HEADER = 16
const FOOTER = 32
const STEPS_MAX = 1_000

/** A part of one or two runs of bytes, as a snapshot keeps it. */
class ImagePart implements StatePart {
  readonly name: string
  #views: readonly Uint8Array[]

  constructor(name: string, views: readonly Uint8Array[]) {
    this.name = name
    this.#views = views
  }

  facts(): readonly number[] {
    return this.#views.map((view) => view.length)
  }

  views(): readonly Uint8Array[] {
    return this.#views
  }

  open(facts: readonly number[]): readonly Uint8Array[] {
    const limits = this.#views.map(() => VIEW_BYTES_MAX)
    this.#views = sizesOf(this.name, facts, limits).map((length) => new Uint8Array(length))
    return this.#views
  }

  settle(): void {
    if (this.#views.length === 0) throw new StateError('a part of no runs')
  }
}

/** A snapshot as it was written: its file, and the ranges in it that mean something. */
export interface WrittenSnapshot {
  readonly bytes: Uint8Array
  readonly parts: readonly StatePart[]
  /** Where header, parts, contents and footer start, and the end. */
  readonly units: readonly number[]
  /** [from, to) of everything but padding. */
  readonly ranges: readonly (readonly [number, number])[]
  /** Everything the contents say but of the parts. */
  readonly seq: number
}

export function writtenSnapshot(random: Random): WrittenSnapshot {
  const disk = new ImageDisk()
  const parts = Array.from({ length: PARTS }, (_, i) => {
    const views = [randomBytes(random, random.integer(0, VIEW_BYTES_MAX))]
    if (i % 2 === 0) views.push(randomBytes(random, random.integer(0, VIEW_BYTES_MAX)))
    return new ImagePart(`part ${i}`, views)
  })
  const seq = random.integer(1, 10 ** 6)
  const settings = { clock: 'event', lateSlots: 32 } as const
  const chunks = { swaps: [], positions: [] }
  writeSnapshot(disk, FOLDER, PATH, parts, { seq, epoch: 'epoch', segment: 3, settings, chunks })
  const bytes = new Uint8Array(disk.bytesOf(PATH))
  const ranges: [number, number][] = [[0, HEADER]]
  const units = [HEADER]
  let at = HEADER
  for (const part of parts) {
    const length = part.views().reduce((sum, view) => sum + view.length, 0)
    ranges.push([at, at + length])
    at += Math.ceil(length / 8) * 8
    units.push(at)
  }
  ranges.push([at, bytes.length])
  units.push(bytes.length - FOOTER, bytes.length)
  return { bytes, parts, units, ranges, seq }
}

/** The same parts with nothing in them. */
function emptied(parts: readonly StatePart[]): StatePart[] {
  return parts.map((part) => {
    const views = part.views().map((view) => new Uint8Array(view.length))
    return new ImagePart(part.name, views)
  })
}

/**
 * What is wrong with what the reader made of an image, or null: it has to load all parts as they
 * were written when no byte of them is another, and to refuse the image else.
 */
export function wrongWithSnapshot(
  image: Uint8Array,
  written: readonly WrittenSnapshot[],
): string | null {
  const whole = written.find((one) => isWhole(image, one))
  const parts = emptied(written[0].parts)
  const seq = loadedSeq(image, parts)
  if (whole === undefined) return seq === null ? null : 'a damaged snapshot was loaded'
  if (seq !== whole.seq) return `seq ${seq} instead of ${whole.seq}`
  const isSame = parts.every((part, i) => {
    const views = whole.parts[i].views()
    return part.views().every((view, at) => Buffer.compare(view, views[at]) === 0)
  })
  return isSame ? null : 'a part is not as it was written'
}

function isWhole(image: Uint8Array, { bytes, ranges }: WrittenSnapshot): boolean {
  if (image.length !== bytes.length) return false
  return ranges.every(
    ([from, to]) => Buffer.compare(image.subarray(from, to), bytes.subarray(from, to)) === 0,
  )
}

function loadedSeq(image: Uint8Array, parts: readonly StatePart[]): number | null {
  const disk = new ImageDisk()
  disk.files.set(PATH, image)
  const file = disk.open(PATH)
  const contents = readContents(file, PATH)
  if (contents === null) return null
  const loading = loadParts(file, contents, parts)
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const step = loading.next()
    if (step.done) return step.value ? contents.seq : null
  }
  throw new Error('the loading does not end')
}
