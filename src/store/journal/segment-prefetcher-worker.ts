/** Loads and checks journal segments and packs pages of swaps, in the order asked for, for segment-prefetcher.ts. */
import { MessagePort, workerData } from 'node:worker_threads'
import { packedPageBytes, packedPageBytesMax, packPage } from '../../engine/state/packed-swaps.ts'
import { TAPE_BLOCK_RECORDS } from '../../engine/state/tape.ts'
import { SWAP_U32_LANES } from '../../events/swap-record.ts'
import { readAll } from '../disk/disk.ts'
import { NodeDisk } from '../disk/node-disk.ts'
import { withFile } from '../folder/data-folder.ts'
import { scanned } from '../format/journal-format.ts'
import { isLoadOrder, isPackOrder } from './segment-prefetcher.ts'

const disk = new NodeDisk()
const port: unknown = workerData
if (!(port instanceof MessagePort)) throw new Error('the worker was given no port')

/** Where a page is packed. */
let packing = new DataView(new ArrayBuffer(0))

port.on('message', (order: unknown) => {
  if (isPackOrder(order)) {
    port.postMessage(packed(order.page, order.index))
    return
  }
  if (!isLoadOrder(order)) throw new Error('the worker got no file to load')
  const loaded = load(order.path, order.buffer)
  port.postMessage(loaded, [loaded.buffer])
})

function load(path: string, old: ArrayBuffer | null) {
  try {
    return withFile(disk.open(path), (file) => {
      const length = file.size()
      const buffer = old !== null && old.byteLength >= length ? old : new ArrayBuffer(length)
      const bytes = new Uint8Array(buffer, 0, length)
      if (!readAll(file, bytes, 0)) return { buffer, length: -1, checkedTo: 0 }
      return { buffer, length, checkedTo: scanned(bytes)?.end ?? 0 }
    })
  } catch {
    return { buffer: new ArrayBuffer(0), length: -1, checkedTo: 0 }
  }
}

function packed(page: SharedArrayBuffer, index: number): SharedArrayBuffer {
  const u32 = new Uint32Array(page)
  const most = packedPageBytesMax(u32.length / SWAP_U32_LANES, TAPE_BLOCK_RECORDS)
  if (packing.byteLength < most) packing = new DataView(new ArrayBuffer(most))
  const end = packPage(u32, TAPE_BLOCK_RECORDS, index, packing)
  const buffer = new SharedArrayBuffer(packedPageBytes(end))
  new Uint8Array(buffer).set(new Uint8Array(packing.buffer, 0, end))
  return buffer
}
