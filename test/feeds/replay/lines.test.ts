import { expect, onTestFinished, test, vi } from 'vitest'
import { LINE_BYTES_MAX, LineSplitter, Pacer } from '../../../src/feeds/replay/line-run.ts'
import { Progress } from '../../../src/feeds/replay/replay.ts'
import { SeededRandom } from '../seeded-random.ts'

/** Lines as `number:text` or `number!reason`, with the input in chunks of `size` bytes. */
function split(input: string | Uint8Array, size = 1_000_000): string[] {
  const bytes = Buffer.from(input)
  const splitter = new LineSplitter()
  const found: string[] = []
  for (let at = 0; at < bytes.length; at += size) {
    for (const line of splitter.push(bytes.subarray(at, at + size))) found.push(shown(line))
  }
  for (const line of splitter.end()) found.push(shown(line))
  return found
}

function shown(line: { number: number; text: string | null; reason: string | null }): string {
  return line.text === null ? `${line.number}!${line.reason}` : `${line.number}:${line.text}`
}

test('lines end with LF or CRLF, blank ones count and are left out, the last needs no end', () => {
  expect(split('a\r\n\n  \r\nb\n\r\nc')).toEqual(['1:a', '4:b', '6:c'])
  expect(split('')).toEqual([])
  expect(split('\n\n')).toEqual([])
})

test('a byte order mark is taken off the first line only', () => {
  expect(split('\ufeffa\n\ufeffb')).toEqual(['1:a', '2:\ufeffb'])
  expect(split('\ufeff\na')).toEqual(['2:a'])
})

test('lines are the same in chunks of any size, also through the middle of characters', () => {
  const text = '\ufeff{"a":"é😀"}\r\n\n😀😀\nlast é'
  for (let size = 1; size < 40; size++) expect(split(text, size)).toEqual(split(text))
})

test('invalid UTF-8 is a bad line and the next one is good', () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.from('ok\n'), Buffer.from([0xc3])])
  const reason = 'the line is not valid UTF-8'
  expect(split(bytes)).toEqual([`1!${reason}`, '2:ok', `3!${reason}`])
})

test('a line of exactly the cap is read, a longer one is bad and the next one is good', () => {
  const fits = 'x'.repeat(LINE_BYTES_MAX)
  const reason = `the line is longer than ${LINE_BYTES_MAX} bytes`
  for (const size of [1_000_000, 65_536]) {
    expect(split(`${fits}\r\na`, size)).toEqual([`1:${fits}`, '2:a'])
    expect(split(`${fits}y\nb\n`, size)).toEqual([`1!${reason}`, '2:b'])
    expect(split(`${fits.repeat(5)}\nb\n${fits}${fits}`, size)).toEqual([
      `1!${reason}`,
      '2:b',
      `3!${reason}`,
    ])
  }
})

test('random bytes in random chunks split without an error', () => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
  console.log(`random lines with SEED=${seed}`)
  const random = new SeededRandom(seed)
  for (let round = 0; round < 200; round++) {
    const bytes = random.bytes(random.below(4_000))
    expect(split(bytes, 1 + random.below(100))).toEqual(split(bytes))
  }
})

test('events are paced by their time and the speed, gaps backwards are not waited for', () => {
  let now = 5_000
  const pacer = new Pacer(4, () => now)
  expect(pacer.delayMs(100)).toBe(0)
  expect(pacer.delayMs(108)).toBe(2_000)
  now += 2_000
  expect(pacer.delayMs(107)).toBeLessThanOrEqual(0)
  expect(pacer.delayMs(108)).toBe(0)
  // An hour back is another recording, and time goes on from there.
  expect(pacer.delayMs(108 - 3_600)).toBe(0)
  expect(pacer.delayMs(108 - 3_596)).toBe(1_000)
  expect(new Pacer('max').delayMs(1e9)).toBe(0)
})

test('progress says rows, rate, part and time left, and only to a terminal', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const shownOf = (isTTY: boolean, fraction: number) => {
    const written: string[] = []
    const output = { isTTY, write: (text: string) => written.push(text) }
    const progress = new Progress(output, () => fraction)
    vi.advanceTimersByTime(2_000)
    progress.update(1_000)
    progress.end()
    return written
  }
  const clear = '\r\x1b[K'
  expect(shownOf(true, 0.5)).toEqual([`${clear}1000 rows, 500 rows/s, 50 %, 2 s left`, clear])
  expect(shownOf(true, 0)).toEqual([`${clear}1000 rows, 500 rows/s, 0 %`, clear])
  expect(shownOf(false, 1)).toEqual([])
})
