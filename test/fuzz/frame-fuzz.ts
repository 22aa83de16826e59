import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../src/base/random.ts'
import { type KnownNames, knownNames, withKnown } from './known-names.ts'
import { mutated } from './mutations.ts'
import { liveMessages } from './targets/live-messages.ts'

const HANDSHAKE =
  'GET /ws?id=fuzz HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n'
const OPCODES = [1, 1, 1, 1, 2, 0, 8, 9, 10, 3, 15]
/** Frames that one connection sends at most before it goes. */
const FRAMES_MAX = 40
const PATIENCE_MS = 100

/**
 * Connections that send frames from a seed: right ones, torn ones, wrong lengths and opcodes; then
 * leave in one way or another. Returns how many frames were sent.
 */
export async function fuzzFrames(port: number, seed: number, connections: number): Promise<number> {
  const random = new Random(seed)
  const known = await knownNames(port)
  let frames = 0
  for (let index = 0; index < connections; index++) {
    const count = 1 + random.below(FRAMES_MAX)
    await oneConnection(port, random, known, count)
    frames += count
  }
  return frames
}

async function oneConnection(
  port: number,
  random: Random,
  known: KnownNames,
  count: number,
): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {}).resume()
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  // Frames may come with the handshake already.
  const frames = Array.from({ length: count }, () => frame(random, known))
  const bytes = Buffer.concat([Buffer.from(HANDSHAKE), ...frames])
  const cut = random.below(bytes.length)
  socket.write(bytes.subarray(0, cut))
  await Promise.race([closed, pause(random.below(3))])
  if (!socket.destroyed) socket.write(random.chance(0.8) ? bytes.subarray(cut) : Buffer.alloc(0))
  leave(socket, random)
  await Promise.race([closed, pause(PATIENCE_MS)])
  socket.destroy()
}

function leave(socket: Socket, random: Random): void {
  const way = random.below(4)
  if (way === 0) socket.resetAndDestroy()
  else if (way === 1) socket.end()
  else if (way === 2) setTimeout(() => socket.destroy(), random.below(5))
  else setImmediate(() => socket.destroy())
}

/** A client's frame (RFC 6455 section 5.2), in one case of five a wrong one. */
function frame(random: Random, known: KnownNames): Buffer {
  const made = Buffer.from(withKnown(liveMessages.make(random).toString(), random, known))
  // One that is changed asks for nothing, mostly.
  const payload = random.chance(0.5) ? made : mutated(made, random, liveMessages.words, [])
  const opcode = random.pick(OPCODES)
  const first = (random.chance(0.9) ? 0x80 : 0) | (random.chance(0.02) ? 0x40 : 0) | opcode
  const isMasked = random.chance(0.97)
  const told = random.chance(0.95) ? payload.length : random.next() >>> 1
  const mask = Buffer.from([1, 2, 3, 4])
  const body = isMasked ? payload.map((byte, at) => byte ^ mask[at % 4]) : payload
  return Buffer.concat([header(first, told, isMasked), isMasked ? mask : Buffer.alloc(0), body])
}

function header(first: number, length: number, isMasked: boolean): Buffer {
  const masked = isMasked ? 0x80 : 0
  if (length < 126) return Buffer.of(first, masked | length)
  const bytes = Buffer.alloc(length < 65_536 ? 4 : 10)
  bytes[0] = first
  bytes[1] = masked | (length < 65_536 ? 126 : 127)
  if (length < 65_536) bytes.writeUInt16BE(length, 2)
  else bytes.writeUInt32BE(length, 6)
  return bytes
}
