import fs from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cutAfter, endless, flip, instead, stopAfter, truncated } from './faulty-way.ts'
import { GivenFolder } from './given-folder.ts'
import { expectSame, filled, NEWER, POSITIONS, SNAPSHOT, SWAPS, standing } from './standing.ts'

/** What may have come, and not have been read yet, when a connection ends. */
const UNREAD_BYTES = 128 << 10

test('what was cut off is asked for from there on', async () => {
  const { given, way, into, take } = await standing(filled())
  way.fault = (path, nth) => (path.startsWith('/seed/') && nth <= 3 ? cutAfter(500_000) : undefined)
  await take()
  expectSame(given, into)
  expect([way.times(SWAPS), way.times(SNAPSHOT)]).toEqual([4, 4])
  const bytes = given.names.reduce((sum, name) => sum + given.bytesOf(name), 0)
  expect(way.fileBytes).toBeLessThan(bytes + 3 * given.names.length * UNREAD_BYTES)
})

test('an answer that ends before its bytes are there is no file, and the rest is asked for', async () => {
  const { given, way, into, take, lines } = await standing(filled(false))
  way.fault = (path, nth) => (path === SNAPSHOT && nth === 1 ? truncated(1_000_000) : undefined)
  await take()
  expectSame(given, into)
  expect(way.servedBytes.get(SNAPSHOT)).toBe(given.bytesOf(SNAPSHOT.slice(6)))
  expect(lines.filter((line) => line.includes('its answer ended early'))).toHaveLength(1)
})

test.each([
  { path: SWAPS, byte: 20 },
  { path: SWAPS, byte: 9_000_000 },
  { path: POSITIONS, byte: 100 },
  { path: SNAPSHOT, byte: 2 },
  { path: SNAPSHOT, byte: 2_000_000 },
  { path: SNAPSHOT, byte: 3_001_100 },
])(
  'a byte of $path that is turned over on the way is noticed, and the file is asked for again',
  async ({ path, byte }) => {
    const { given, way, into, take, lines } = await standing(filled(path !== SNAPSHOT))
    way.fault = (asked, nth) => (asked === path && nth === 1 ? flip(byte) : undefined)
    await take()
    expectSame(given, into)
    expect(way.times(path)).toBe(2)
    expect(lines.filter((line) => line.includes('it came damaged'))).toHaveLength(1)
  },
)

test('a file that comes damaged each time stops the start, and leaves no snapshot in the folder', async () => {
  const { way, into, take } = await standing(filled(false))
  way.fault = (path) => (path === SNAPSHOT ? flip(2_000_000) : undefined)
  await expect(take()).rejects.toMatchObject({
    code: 'seed',
    message: expect.stringContaining('snapshot-0000000000000007.mfs came damaged'),
  })
  expect(fs.readdirSync(into).filter((name) => name.includes('snapshot'))).toEqual([])
  expect(way.times(SNAPSHOT)).toBe(3)
})

test('a server that sends without end is read as far as it announced', async () => {
  const { given, way, into, take } = await standing(filled())
  way.fault = (path) => (path.startsWith('/seed/') ? endless(100_000) : undefined)
  await take()
  expectSame(given, into)
})

test('a server that stops in the middle is asked again after a time without a byte', async () => {
  const { given, way, into, take, lines } = await standing(filled())
  way.fault = (path, nth) => (path === SWAPS && nth === 1 ? stopAfter(2_000_000) : undefined)
  await take({ times: { silenceMs: 500, giveUpMs: 60_000 } })
  expectSame(given, into)
  expect(lines.some((line) => line.includes('nothing came for 0.5 s'))).toBe(true)
})

test('a server that is slow and never silent is waited for', async () => {
  const { given, way, into, take, lines } = await standing(filled(false))
  way.fault = (path) => (path === SNAPSHOT ? inPieces(10, 100) : undefined)
  await take({ times: { silenceMs: 800, giveUpMs: 60_000 } })
  expectSame(given, into)
  expect(lines.filter((line) => line.includes('nothing came'))).toEqual([])
})

/** The body in so many pieces, with a pause before each. */
function inPieces(count: number, pauseMs: number): ReturnType<typeof cutAfter> {
  return (answer, response) => {
    const parts: Buffer[] = []
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.on('data', (bytes: Buffer) => parts.push(bytes))
    answer.on('end', () => {
      const body = Buffer.concat(parts)
      const pieceBytes = Math.ceil(body.length / count)
      const send = (at: number) => {
        if (at >= body.length) {
          response.end()
          return
        }
        response.write(body.subarray(at, at + pieceBytes))
        setTimeout(() => send(at + pieceBytes), pauseMs)
      }
      send(0)
    })
  }
}

test('a snapshot that goes in the middle gives way to a newer one, without its chunks again', async () => {
  const given = filled()
  const { way, into, take, lines } = await standing(given)
  const goes = stopAfter(1_000_000, () => {
    fs.rmSync(join(given.path, SNAPSHOT.slice(6)))
    given.snapshot(9)
  })
  way.fault = (path, nth) => (path === SNAPSHOT && nth === 1 ? goes : undefined)
  await take({ times: { silenceMs: 500, giveUpMs: 60_000 } })
  expectSame(given, into)
  expect([way.times(SWAPS), way.times(SNAPSHOT), way.times(NEWER)]).toEqual([1, 2, 1])
  expect(lines.some((line) => line.includes('seeding begins with a newer snapshot'))).toBe(true)
})

test('a file that another one has the name of by then is not mixed with it', async () => {
  const given = filled(false)
  const { way, into, take } = await standing(given)
  const goes = stopAfter(1_000_000, () => {
    const other = new GivenFolder()
    fs.renameSync(other.snapshot(8), join(given.path, SNAPSHOT.slice(6)))
    fs.rmSync(join(given.path, SNAPSHOT.slice(6)))
    given.snapshot(7)
  })
  way.fault = (path, nth) => (path === SNAPSHOT && nth === 1 ? goes : undefined)
  await take({ times: { silenceMs: 500, giveUpMs: 60_000 } })
  expectSame(given, into)
})

test('files that always go stop the start with a sentence', async () => {
  const { way, take } = await standing(filled(false))
  way.fault = (path) => (path === SNAPSHOT ? instead(404, 'gone') : undefined)
  await expect(take()).rejects.toMatchObject({
    code: 'seed',
    message: expect.stringContaining('set a longer SNAPSHOT_EVERY there'),
  })
})

test('what had come when the process ended stays, and the next start asks for the rest', async () => {
  const { given, way, into, take } = await standing(filled())
  way.fault = (path) => (path === SNAPSHOT ? stopAfter(1_000_000) : undefined)
  const times = { silenceMs: 300, giveUpMs: 0 }
  await expect(take({ times })).rejects.toMatchObject({ code: 'seed_unreached' })
  expect(fs.statSync(join(into, `${SNAPSHOT.slice(6)}.unfinished`)).size).toBe(1_000_000)
  way.fault = () => undefined
  given.snapshot(9)
  await take()
  expectSame(
    given,
    into,
    given.names.filter((name) => !NEWER.endsWith(name)),
  )
  expect(way.servedBytes.get(SWAPS)).toBe(given.bytesOf(SWAPS.slice(6)))
  expect(way.servedBytes.get(SNAPSHOT)).toBe(given.bytesOf(SNAPSHOT.slice(6)))
  expect(way.times(NEWER)).toBe(0)
})

test('what came of another instance before is not mixed in', async () => {
  const given = filled()
  const { way, into, take } = await standing(given)
  fs.writeFileSync(join(into, `${SNAPSHOT.slice(6)}.unfinished`), Buffer.alloc(1_000, 'x'))
  fs.writeFileSync(join(into, `${SWAPS.slice(6)}.unfinished`), Buffer.alloc(20_000_000, 'x'))
  fs.writeFileSync(join(into, `${NEWER.slice(6)}.unfinished`), 'x')
  fs.writeFileSync(join(into, POSITIONS.slice(6)), Buffer.alloc(given.bytesOf(POSITIONS.slice(6))))
  await take()
  expectSame(given, into)
  expect(way.times(SNAPSHOT)).toBe(2)
})

test('an instance that is not there is given up after a time, and the sentence says why', async () => {
  const { take, lines } = await standing(filled(false))
  const nobody = createServer()
  await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve))
  const address = nobody.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  await new Promise((resolve) => nobody.close(resolve))
  const url = `http://127.0.0.1:${port}`
  await expect(take({ url, times: { silenceMs: 500, giveUpMs: 1_500 } })).rejects.toMatchObject({
    code: 'seed_unreached',
    message: expect.stringMatching(
      /gave nothing for 1.5 s \(ECONNREFUSED\).*What has come is kept/,
    ),
  })
  expect(lines.filter((line) => line.includes('is asked again')).length).toBeGreaterThan(1)
})

test('a list without end is given up and takes a bounded memory', async () => {
  const { way, take } = await standing(filled(false))
  way.fault = (path) => (path === '/seed' ? endless(1_000_000) : undefined)
  await expect(take({ times: { silenceMs: 10_000, giveUpMs: 0 } })).rejects.toMatchObject({
    code: 'seed_unreached',
    message: expect.stringContaining('longer than 67108864 bytes'),
  })
})
