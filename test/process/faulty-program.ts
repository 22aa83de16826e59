/** The program with planted faults: its fold throws at metadata of the mint `poison`, and its replays throw. */
import { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { ReplayFeed } from '../../src/feeds/replay/replay.ts'

const accept = Engine.prototype.accept
Engine.prototype.accept = function (this: Engine, event: FeedEvent): void {
  if (event.type === 'metadata' && event.mint === 'poison') throw new RangeError('a planted fault')
  accept.call(this, event)
}
ReplayFeed.prototype.start = () => Promise.reject(new TypeError('a planted fault'))
await import('../../src/main.ts')
