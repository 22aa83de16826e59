import type { Random } from '../../oracle/random.ts'
import type { Inode } from './crash-file.ts'

/** An entry made or moved (`inode`), or taken away (`from`); a rename is both at once. */
interface Change {
  readonly from: string | null
  readonly to: string | null
  readonly inode: Inode
}

/** The entries of one folder: those that were made to last, and each change since. */
export class CrashFolder {
  readonly entries: Map<string, Inode>
  readonly #lasting: Map<string, Inode>
  #changes: Change[] = []
  /** Changes that were made to last so far. */
  #first = 0

  constructor(lasting: ReadonlyMap<string, Inode> = new Map()) {
    this.entries = new Map(lasting)
    this.#lasting = new Map(lasting)
  }

  get mark(): number {
    return this.#first + this.#changes.length
  }

  /** `from` null for a creation, `to` null for a removal. */
  change(from: string | null, to: string | null, inode: Inode): void {
    const change = { from, to, inode }
    this.#changes.push(change)
    apply(change, this.entries)
  }

  syncTo(mark: number): void {
    const done = mark - this.#first
    if (done <= 0) return
    for (const change of this.#changes.slice(0, done)) apply(change, this.#lasting)
    this.#changes = this.#changes.slice(done)
    this.#first = mark
  }

  killed(inodes: Map<Inode, Inode>): CrashFolder {
    const copied = (inode: Inode) => twin(inodes, inode, () => inode.killed())
    const copy = new CrashFolder(mapped(this.#lasting, copied))
    for (const { from, to, inode } of this.#changes) copy.change(from, to, copied(inode))
    return copy
  }

  /** Changes in their order up to one, as ext4 does it, or any of them whose `from` is there. */
  crashed(inodes: Map<Inode, Inode>, random: Random): CrashFolder {
    const entries = new Map(this.#lasting)
    const isInOrder = random.chance(0.4)
    const until = random.integer(0, this.#changes.length)
    const chance = random.pick([0.2, 0.5, 0.8, 1])
    this.#changes.forEach((change, i) => {
      if (isInOrder ? i < until : random.chance(chance)) applyIfLegal(change, entries)
    })
    return new CrashFolder(
      mapped(entries, (inode) => twin(inodes, inode, () => inode.crashed(random))),
    )
  }
}

function apply({ from, to, inode }: Change, entries: Map<string, Inode>): void {
  if (from !== null) entries.delete(from)
  if (to !== null) entries.set(to, inode)
}

/** A file whose creation did not last is neither moved nor removed. */
function applyIfLegal(change: Change, entries: Map<string, Inode>): void {
  if (change.from === null || entries.get(change.from) === change.inode) apply(change, entries)
}

function mapped(entries: ReadonlyMap<string, Inode>, change: (inode: Inode) => Inode) {
  return new Map([...entries].map(([name, inode]) => [name, change(inode)]))
}

/** One copy for each file, whatever number of names it has. */
function twin(inodes: Map<Inode, Inode>, inode: Inode, copy: () => Inode): Inode {
  const found = inodes.get(inode) ?? copy()
  inodes.set(inode, found)
  return found
}
