/** Loads and checks journal segments, in the order asked for, for segment-prefetcher.ts. */
import { MessagePort, workerData } from 'node:worker_threads'
import { readAll } from '../disk/disk.ts'
import { NodeDisk } from '../disk/node-disk.ts'
import { withFile } from '../folder/data-folder.ts'
import { scanned } from '../format/journal-format.ts'
import { isLoadOrder } from './segment-prefetcher.ts'

const disk = new NodeDisk()
const port: unknown = workerData
if (!(port instanceof MessagePort)) throw new Error('the worker was given no port')

port.on('message', (order: unknown) => {
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
