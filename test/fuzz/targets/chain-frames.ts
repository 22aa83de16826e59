import { isRecord } from '../../../src/base/json-access.ts'
import type { Random } from '../../../src/base/random.ts'
import { eventLineText } from '../../../src/events/event.ts'
import { parseEventLine } from '../../../src/events/event-lines.ts'
import { EVENT_LAYOUTS } from '../../../src/feeds/chain/layouts/decode-event.ts'
import type { FieldType } from '../../../src/feeds/chain/layouts/event-layout.ts'
import { AMM_PROGRAM, PUMP_PROGRAM } from '../../../src/feeds/chain/layouts/programs.ts'
import { ChainNormaliser } from '../../../src/feeds/chain/normalise.ts'
import {
  transactionOfLogsFrame,
  transactionOfRpc,
} from '../../../src/feeds/chain/transactions/rpc-json.ts'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { randomJson } from '../mutations.ts'
import { type FuzzTarget, holds } from '../target.ts'

const WORDS = [
  'params',
  'result',
  'value',
  'logs',
  'signature',
  'slot',
  'context',
  'err',
  'meta',
  'transaction',
  'logMessages',
  'fee',
  'innerInstructions',
]
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{1,64}$/

/** Frames of a Solana node: logs as they are pushed, transactions as they are fetched. */
export class ChainFrames implements FuzzTarget {
  readonly name = 'chain-frames'
  readonly words = [
    ...WORDS.map((word) => `"${word}":`),
    'Program data: ',
    `Program ${PUMP_PROGRAM} invoke [1]`,
    `Program ${AMM_PROGRAM} success`,
  ]
  readonly #normaliser = new ChainNormaliser(newFeedCounters())

  make(random: Random): Buffer {
    if (random.chance(0.1)) return Buffer.from(JSON.stringify(randomJson(random, WORDS, 5)))
    const logs = logsOf(random)
    const signature = 'sig'.padEnd(80, '1')
    const frame = random.chance(0.6)
      ? {
          params: {
            result: { context: { slot: random.below(1e9) }, value: { signature, err: null, logs } },
          },
        }
      : {
          slot: random.below(1e9),
          transaction: {
            signatures: [signature],
            message: { accountKeys: [PUMP_PROGRAM, AMM_PROGRAM] },
          },
          meta: { err: null, fee: 5000, logMessages: logs },
        }
    return Buffer.from(JSON.stringify(frame))
  }

  run(input: Buffer): void {
    let frame: unknown
    try {
      frame = JSON.parse(input.toString('utf8'))
    } catch {
      return
    }
    const pushed = transactionOfLogsFrame(frame)
    const transaction = pushed ?? (isRecord(frame) ? transactionOfRpc(frame) : null)
    if (transaction === null) return
    for (const event of this.#normaliser.events(transaction)) {
      // Texts of the chain may be any; what stands for an address must be one.
      if ('mint' in event) holds(ADDRESS.test(event.mint), 'a mint is an address')
      const line = parseEventLine(eventLineText(event))
      const isTextOfNode = !/^[^\p{Cc}\p{Cs}]{1,128}$/u.test(transaction.signature)
      holds(
        isTextOfNode || !('error' in line),
        `what the chain gives can be kept: ${'error' in line ? line.error : ''}`,
      )
    }
  }
}

function logsOf(random: Random): string[] {
  const logs: string[] = []
  for (let count = 1 + random.below(3); count > 0; count--) {
    const layout = random.pick(EVENT_LAYOUTS)
    const program = layout.program === 'pump' ? PUMP_PROGRAM : AMM_PROGRAM
    const fields = layout.types.map((type) => fieldBytes(type, random))
    const bytes = Buffer.concat([Buffer.from(layout.discriminator, 'hex'), ...fields])
    const end = random.chance(0.8) ? bytes.length : random.below(bytes.length)
    const data = bytes.subarray(0, end).toString('base64')
    logs.push(
      `Program ${program} invoke [1]`,
      `Program data: ${data}`,
      `Program ${program} success`,
    )
  }
  if (random.chance(0.05)) logs.push('Log truncated')
  return logs
}

const FIXED_BYTES: Partial<Record<FieldType, number>> = {
  u8: 1,
  bool: 1,
  u16: 2,
  i128: 16,
  pubkey: 32,
}

function fieldBytes(type: FieldType, random: Random): Buffer {
  if (type === 'u64' || type === 'i64') {
    const bytes = Buffer.alloc(8)
    // Mostly what could be a time or an amount, sometimes anything.
    bytes.writeDoubleLE(0)
    bytes.writeUInt32LE(
      random.chance(0.9) ? 1_700_000_000 + random.below(1000) : random.next() >>> 0,
    )
    if (random.chance(0.1)) bytes.writeUInt32LE(random.next() >>> 0, 4)
    return bytes
  }
  const fixed = FIXED_BYTES[type]
  if (fixed !== undefined) return anyBytes(fixed, random)
  const text = anyBytes(random.below(12), random)
  const size = Buffer.alloc(4)
  size.writeUInt32LE(random.chance(0.95) ? text.length : random.next() >>> 0)
  return Buffer.concat([size, text])
}

function anyBytes(length: number, random: Random): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at++) bytes[at] = random.below(256)
  return bytes
}
