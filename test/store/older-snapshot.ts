import { crc32 } from 'node:zlib'
import { PackedTexts } from '../../src/engine/memory/packed-texts.ts'
import { Rows } from '../../src/engine/memory/rows.ts'
import type { StatePart } from '../../src/engine/memory/state-part.ts'
import { AddressBook } from '../../src/engine/state/address-book.ts'
import { LifecycleLane, MetadataLane } from '../../src/engine/state/layout.ts'
import {
  type Contents,
  FOOTER,
  SNAPSHOT_FOOTER_BYTES,
  stateDigest,
} from '../../src/store/snapshot/snapshot-file.ts'
import { formerParts } from './former-book.ts'
import { formerTexts } from './former-texts.ts'

const OLDER_VERSION = 9
const VERSION_AT = 8
/** Parts that versions 10, 11 and 13 brought; of the last one, bars of which an older version may have none. */
const NEW_PARTS = [
  ...['quote coins', 'clamp balances', 'last burn', 'route sales', 'unseen slots'],
  ...['minute bars', 'hour bars'],
]
/** Bytes of an event in the order ring: of now, and before version 13, which brought the last columns. */
const RING_BYTES = { present: 56, former: 48 }

/** A snapshot of the present version as one of version 9 would have it; with the crcs of these chunks, where given. */
export function olderSnapshot(snapshot: Buffer<ArrayBuffer>, crcs?: readonly number[]): Uint8Array {
  const older = Buffer.from(snapshot)
  const footer = older.subarray(older.length - SNAPSHOT_FOOTER_BYTES)
  const contentsAt = footer.readDoubleLE(FOOTER.contentsAt)
  const text = older.toString('utf8', contentsAt, older.length - SNAPSHOT_FOOTER_BYTES)
  const contents: Contents = JSON.parse(text)
  const swaps = contents.chunks.swaps.map((crc, chunk) => crcs?.[chunk] ?? crc)
  const chunks = { ...contents.chunks, swaps }
  const kept = contents.parts.filter(({ name }) => !NEW_PARTS.includes(name))
  const before = [...formerBook(older, kept), ...textsBefore(older, kept)]
  const added: Uint8Array[] = []
  let at = contentsAt
  const parts = kept.map((part) => {
    const former = before.find(({ name }) => name === part.name)
    if (part.name === 'bars') return { ...part, facts: part.facts.slice(0, 1) }
    if (part.name === 'order ring') {
      const bytes = (part.bytes * RING_BYTES.former) / RING_BYTES.present
      return { ...part, bytes, crc: crc32(older.subarray(part.at, part.at + bytes)) }
    }
    if (former === undefined) return part
    const bytes = Buffer.concat(former.views())
    added.push(bytes)
    at += bytes.length
    const place = { at: at - bytes.length, bytes: bytes.length, crc: crc32(bytes) }
    return { ...part, ...place, facts: [...former.facts()] }
  })
  const body = Buffer.concat([older.subarray(0, contentsAt), ...added])
  const changed = Buffer.from(
    JSON.stringify({ ...contents, parts, chunks, digest: digestOf(body, parts) }),
  )
  body.writeUInt32LE(OLDER_VERSION, VERSION_AT)
  footer.writeUInt32LE(OLDER_VERSION, FOOTER.version)
  footer.writeDoubleLE(body.length, FOOTER.contentsAt)
  footer.writeDoubleLE(changed.length, FOOTER.contentsBytes)
  footer.writeUInt32LE(crc32(changed), FOOTER.crc)
  return Buffer.concat([body, changed, footer])
}

/** The addresses of a snapshot as versions before 12 have them. */
function formerBook(snapshot: Uint8Array, saved: Contents['parts']): StatePart[] {
  const book = new AddressBook()
  load(book.parts, snapshot, saved)
  return formerParts(book)
}

/** Its texts, and the rows that name them, as versions before 14 have them. */
function textsBefore(snapshot: Uint8Array, saved: Contents['parts']): StatePart[] {
  const texts = new PackedTexts()
  const births = new Rows(LifecycleLane.lanes)
  const metadata = new Rows(MetadataLane.lanes)
  const parts = [texts.part('texts'), births.part('births'), metadata.part('metadata')]
  load(parts, snapshot, saved)
  return formerTexts({ texts, births, metadata })
}

function load(parts: readonly StatePart[], snapshot: Uint8Array, saved: Contents['parts']): void {
  for (const part of parts) {
    const entry = saved.find(({ name }) => name === part.name)
    if (entry === undefined) throw new Error(`the snapshot has no ${part.name}`)
    let { at } = entry
    for (const view of part.open(entry.facts)) {
      view.set(snapshot.subarray(at, at + view.length))
      at += view.length
    }
  }
  for (const part of parts) part.settle()
}

function digestOf(snapshot: Uint8Array, parts: Contents['parts']): string {
  return stateDigest(
    parts.map(({ name, facts, at, bytes }) => ({
      name,
      facts: () => facts,
      views: () => [snapshot.subarray(at, at + bytes)],
    })),
  )
}
