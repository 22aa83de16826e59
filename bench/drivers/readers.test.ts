import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AnswerReader } from './answer-reader.ts'
import { RequestSource, SERIAL_MARK } from './request-source.ts'
import { FrameCounter } from './ws-frames.ts'

/** The bytes in pieces, cut at any places. */
function piecesOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  const ends = [...places, bytes.length]
  return ends.map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1], end))
}

const cuts = fc.array(fc.nat(), { maxLength: 12 })

test('answers are counted however their bytes are cut', () => {
  const lengths = fc.array(fc.nat({ max: 900 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(lengths, cuts, (bodies, places) => {
      const answers = bodies.map(
        (length) => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`,
      )
      const reader = new AnswerReader()
      let ended = 0
      for (const piece of piecesOf(Buffer.from(answers.join('')), places))
        ended += reader.read(piece, piece.length)
      expect(ended).toBe(bodies.length)
      expect(reader.wrong).toBe(0)
    }),
  )
})

test('every answer with another status than 200 is counted as wrong', () => {
  const bad = Buffer.from('HTTP/1.1 429 Too Many\r\nContent-Length: 2\r\n\r\n{}'.repeat(3))
  const reader = new AnswerReader()
  expect(reader.read(bad, bad.length)).toBe(3)
  expect(reader.wrong).toBe(3)
})

test('frames are told with their lengths however their bytes are cut', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(lengths, cuts, (payloads, places) => {
      const frames = payloads.map((length) => {
        const head = length < 126 ? [0x81, length] : [0x81, 126, length >> 8, length & 0xff]
        return Buffer.concat([Buffer.from(head), Buffer.alloc(length, 'x')])
      })
      const counter = new FrameCounter()
      const heard: number[] = []
      for (const piece of piecesOf(Buffer.concat(frames), places))
        counter.read(piece, piece.length, (bytes) => heard.push(bytes))
      expect(heard).toEqual(payloads)
    }),
  )
})

test('a request with a serial number is never sent twice', () => {
  const source = new RequestSource([`a ${SERIAL_MARK}`, `b ${SERIAL_MARK}`])
  const sent = Array.from({ length: 100 }, () => source.next(1).toString())
  expect(new Set(sent).size).toBe(100)
})
