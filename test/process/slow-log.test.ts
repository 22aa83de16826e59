import { expect, test } from 'vitest'
import { natsServer } from '../nats/nats-binary.ts'
import { Fed } from './fed-stream.ts'
import { until } from './program.ts'
import { becomes, readinessOf, StreamPrograms } from './stream-programs.ts'

const single = natsServer('any')
/** More than may wait. */
const SWAPS_AT_ONCE = 42_000
/** Feeds wait from here on; the newest batch comes on top. */
const ROOM_BYTES = 8 << 20
const BATCH_BYTES_MAX = 4 << 20

test.skipIf(single === null)(
  'a log whose answers take seconds holds up what is told, and loses and repeats nothing of it',
  async () => {
    const fed = await Fed.start(await StreamPrograms.start())
    const [server] = fed.programs.nats.servers
    server?.pause()
    fed.tell(SWAPS_AT_ONCE)
    await becomes(fed.sequencer.url, 503, /^NATS g[ai]ves? no answer.*waits for it\.$/)
    const waiting = await until('as much waits as may', async () => {
      const bytes = Number(
        (await readinessOf(fed.sequencer.url)).figures.get('sequencer_waiting_bytes'),
      )
      return bytes >= ROOM_BYTES ? bytes : null
    })
    expect(waiting).toBeLessThan(ROOM_BYTES + BATCH_BYTES_MAX)
    server?.resume()
    await fed.check()
  },
)
