/** The program whose replays bring nothing, and end when something comes on its standard input. */
import { once } from 'node:events'
import { ReplayFeed } from '../../src/feeds/replay/replay.ts'

ReplayFeed.prototype.start = async () => {
  await once(process.stdin, 'data')
}
await import('../../src/main.ts')
