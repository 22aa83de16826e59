/** Loaded into a server (`--import`): says on standard error whenever its loop stood still. */
const LOOK_MS = 1
/** Shorter ones are the machine's own. */
const TOLD_MS = 8

let lastMs = performance.now()
setInterval(() => {
  const nowMs = performance.now()
  if (nowMs - lastMs > TOLD_MS) process.stderr.write(`stood still for ${nowMs - lastMs} ms\n`)
  lastMs = nowMs
}, LOOK_MS)
