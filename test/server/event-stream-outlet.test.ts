import { expect, test } from 'vitest'
import {
  EventStreamOutlet,
  type StreamResponse,
} from '../../src/server/live/event-stream-outlet.ts'

/** A response whose client reads nothing. */
class UnreadResponse implements StreamResponse {
  written = ''

  onAborted(): void {}
  onWritable(): void {}
  end(): void {}

  cork(work: () => void): void {
    work()
  }

  write(text: string): boolean {
    this.written += text
    return false
  }
}

test.each(['angry toad', 'жаба', '怒れる蛙', '🐸🐸'])(
  'what lies unread of a stream of tokens named %s is told in bytes',
  (name) => {
    const response = new UnreadResponse()
    const outlet = new EventStreamOutlet(response, {
      hasId: () => true,
      drained: () => {},
      ended: () => {},
    })
    for (let seq = 1; seq <= 3; seq += 1) {
      outlet.send(
        JSON.stringify({ channel: 'new_launched_pool', seq, epoch: 'e1', data: { name } }),
      )
      expect(outlet.getBufferedAmount()).toBe(Buffer.byteLength(response.written))
    }
  },
)
