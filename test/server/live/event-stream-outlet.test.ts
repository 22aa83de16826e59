import { expect, test } from 'vitest'
import { MAX_BUFFERED_BYTES } from '../../../src/server/live/connection/connection.ts'
import { EventStreamOutlet } from '../../../src/server/live/event-streams.ts'

/** Limits of the server, private to their files. */
const EVENT_STREAM_PIECE_BYTES = 16 * 1024

type Response = ConstructorParameters<typeof EventStreamOutlet>[0]

const KERNEL_BYTES = 64 * 1024

/** A response whose client reads what it is told to: the kernel has room for some, the rest is held as by uWebSockets.js. */
class SlowResponse implements Response {
  isEnded = false
  isBroken = false
  #inKernel = 0
  #heldBytes = 0
  readonly #written: Buffer[] = []
  #onWritable: () => boolean = () => true

  get writes(): number {
    return this.#written.length
  }

  get text(): string {
    return Buffer.concat(this.#written).toString()
  }

  /** Bytes that the kernel has taken. */
  get takenBytes(): number {
    return this.#written.reduce((sum, { length }) => sum + length, 0) - this.#heldBytes
  }

  onAborted(): void {}

  onWritable(told: () => boolean): void {
    this.#onWritable = told
  }

  cork(work: () => void): void {
    work()
  }

  /** Of nothing it says, as uWebSockets.js does, that it may be called again: not that all is gone. */
  write(bytes: Uint8Array): boolean {
    if (bytes.length === 0) return true
    this.#written.push(Buffer.from(bytes))
    this.#heldBytes += bytes.length
    const taken = Math.min(this.#heldBytes, KERNEL_BYTES - this.#inKernel)
    this.#inKernel += taken
    this.#heldBytes -= taken
    return this.#heldBytes === 0
  }

  end(bytes: Uint8Array): void {
    this.write(bytes)
    this.isEnded = true
  }

  close(): void {
    this.isBroken = true
  }

  read(bytes: number): void {
    this.#inKernel = Math.max(0, this.#inKernel - bytes)
    this.#onWritable()
  }
}

function started() {
  const response = new SlowResponse()
  const outlet = new EventStreamOutlet(response, {
    hasId: () => true,
    drained: () => {},
    ended: () => {},
  })
  let seq = 0
  let sent = ''
  const send = (data: object) => {
    seq += 1
    const frame = JSON.stringify({ channel: 'new_launched_pool', seq, epoch: 'e1', data })
    sent += `id: e1/${seq}\ndata: ${frame}\n\n`
    outlet.send(frame)
  }
  return { response, outlet, send, sent: () => sent }
}

/** Comments stand between frames. */
const withoutComments = (text: string) => text.replaceAll(':\n\n', '')

test.each(['angry toad', 'жаба', '怒れる蛙', '🐸🐸'])(
  'what lies unread of a stream of tokens named %s is told in bytes, however long it has been read with a delay',
  (name) => {
    const { response, outlet, send, sent } = started()
    const unread = () => Buffer.byteLength(sent()) - response.takenBytes
    const expectToBeTold = () => {
      expect(outlet.getBufferedAmount()).toBeGreaterThanOrEqual(unread())
      expect(outlet.getBufferedAmount()).toBeLessThan(unread() + 2 * EVENT_STREAM_PIECE_BYTES)
    }
    // Longer than a piece, and than what the kernel takes.
    send({ name, description: name.repeat(30_000) })
    expectToBeTold()
    const text = name.repeat(50)
    for (let round = 0; round < 2_000; round += 1) {
      send({ text })
      response.read(Buffer.byteLength(text) + 60)
      if (round % 100 === 0) expectToBeTold()
    }
    expectToBeTold()
    while (unread() > 0) response.read(10_000)
    response.read(10_000)
    expect(outlet.getBufferedAmount()).toBe(0)
    expect(withoutComments(response.text)).toBe(sent())
  },
)

test('to a stream whose client pauses something is written with each frame and comment: it is not taken for dead', () => {
  const { response, outlet, send, sent } = started()
  send({ text: 'x'.repeat(2 * KERNEL_BYTES) })
  for (let i = 0; i < 100; i += 1) {
    const before = response.writes
    if (i % 2 === 0) send({ i })
    else outlet.comment()
    expect(response.writes).toBe(before + 1)
  }
  while (outlet.getBufferedAmount() > 0) response.read(10_000)
  expect(withoutComments(response.text)).toBe(sent())
})

test('a stream that is ended while much of it lies unread brings what was sent before', () => {
  const { response, outlet, send, sent } = started()
  for (let i = 0; i < 300; i += 1) send({ text: 'x'.repeat(1_000) })
  outlet.comment()
  expect(response.text.length).toBeLessThan(sent().length)
  outlet.end()
  expect(response.isEnded).toBe(true)
  expect(withoutComments(response.text)).toBe(sent())
  send({ text: 'too late' })
  expect(response.text).not.toContain('too late')
  expect(outlet.getBufferedAmount()).toBe(0)
})

test('a stream that is ended while more lies unread than one may leave is broken off', () => {
  const { response, outlet, send } = started()
  while (outlet.getBufferedAmount() <= MAX_BUFFERED_BYTES) send({ text: 'x'.repeat(1_000) })
  const { writes } = response
  outlet.end()
  outlet.close()
  expect([response.isBroken, response.isEnded, response.writes]).toEqual([true, false, writes])
})
