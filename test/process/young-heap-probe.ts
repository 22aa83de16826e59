/** Loaded before a program: tells on standard error, in bytes, when V8 has widened its space of new objects. */
import { getHeapSpaceStatistics } from 'node:v8'

const LOOK_MS = 10
let toldBytes = 0
setInterval(() => {
  const bytes = getHeapSpaceStatistics().find(
    (space) => space.space_name === 'new_space',
  )?.space_size
  if (bytes === undefined || bytes === toldBytes) return
  toldBytes = bytes
  process.stderr.write(`young heap of ${bytes}\n`)
}, LOOK_MS).unref()
