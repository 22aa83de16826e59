import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { natsServer } from '../nats/nats-binary.ts'
import { newFolder } from '../new-folder.ts'
import { Fed } from './fed-stream.ts'
import { isReady, positionOf, StreamPrograms } from './stream-programs.ts'

const single = natsServer('any')
/** Servers before 2.10 give no answer any more once their disk was full, until they are started again. */
const newer = natsServer('cluster')
const canMount = process.getuid?.() === 0 && process.platform === 'linux'
if (!canMount)
  console.log('Only root may mount a small disk here: the test of a full one is skipped.')

/** More than there is yet, since messages beyond a limit that comes later go. */
const STREAM_BYTES = 256 << 10

test.skipIf(newer === null || !canMount)(
  'a full disk of the log is told in one sentence, and what waits is stored once there is room',
  async () => {
    const folder = newFolder()
    const disk = join(folder, 'nats-1', 'jetstream')
    fs.mkdirSync(disk, { recursive: true })
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', disk])
    onTestFinished(() => void execFileSync('umount', ['-l', disk]))
    const fed = await Fed.start(await StreamPrograms.start({ folder, path: newer ?? '' }))
    const before = await positionOf(fed.replica.url)
    const filler = fs.openSync(join(disk, 'filler'), 'w')
    expect(() => {
      for (;;) fs.writeSync(filler, Buffer.alloc(4_096))
    }).toThrow('ENOSPC')
    await fed.isRefused(/^NATS has no room for more, .*no space left.*waits for it\.$/)
    await fed.sequencer.seen(/"level":40.*no space left.*"msg":"the stream takes no events/)
    const after = await positionOf(fed.replica.url)
    expect(after.epoch).toBe(before.epoch)
    expect(after.seq).toBeGreaterThanOrEqual(before.seq)
    await isReady(fed.replica.url)
    fs.ftruncateSync(filler)
    fs.closeSync(filler)
    await fed.check()
    await fed.sequencer.seen(/"msg":"the stream takes events again"/)
  },
)

test.skipIf(single === null)(
  'a stream that takes no more than max_bytes is told in one sentence, and goes on once it may grow',
  async () => {
    const fed = await Fed.start(await StreamPrograms.start())
    await fed.programs.limit(STREAM_BYTES)
    await fed.isRefused(/^NATS has no room for more, .*maximum bytes.*waits for it\.$/)
    await isReady(fed.replica.url)
    await fed.programs.limit(-1)
    await fed.check()
  },
)
