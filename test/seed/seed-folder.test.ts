import fs from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Market } from '../../src/config/source-settings.ts'
import { seedFolder } from '../../src/seed/seed-folder.ts'
import { SeedSource } from '../../src/seed/seed-source.ts'
import { startAdmin } from '../../src/server/admin/admin-server.ts'
import { SNAPSHOT_VERSION } from '../../src/store/snapshot/snapshot-file.ts'
import { newFolder } from '../new-folder.ts'
import {
  changed,
  cutAfter,
  endless,
  FaultyWay,
  flip,
  instead,
  stopAfter,
  truncated,
} from './faulty-way.ts'
import { GivenFolder } from './given-folder.ts'

const TOKEN = 'a-token-of-some-length'
const SWAPS = '/seed/tape-0000000000000000.mft'
const POSITIONS = '/seed/positions-0000000000000000.mfp'
const SNAPSHOT = '/seed/snapshot-0000000000000007.mfs'
const NEWER = '/seed/snapshot-0000000000000009.mfs'

interface Taking {
  readonly folder?: string
  readonly market?: Market | null
  readonly token?: string
  readonly url?: string
  readonly times?: { readonly silenceMs: number; readonly giveUpMs: number }
}

/** An instance that gives `given`, a way to it, and one that takes; an order of a snapshot makes what `order` makes. */
async function standing(given = new GivenFolder(), order: () => void = () => {}) {
  const chunkCrcs = { chunkCrcs: [1] }
  const source = new SeedSource({
    folder: given.path,
    newestSeq: () => given.newestSeq,
    ...{ tape: chunkCrcs, dormantTape: chunkCrcs },
  })
  const lines: string[] = []
  const log = (fields: object, message: string) =>
    void lines.push(`${message} ${JSON.stringify(fields)}`)
  const admin = await startAdmin({
    ...{ host: '127.0.0.1', port: 0, token: TOKEN, log: { info: log, warn: log, error: log } },
    source: {
      metrics: async () => '',
      readiness: () => ({ statusCode: 200, fields: {} }),
      stalls: () => [],
      snapshot: async () => {
        order()
        return 'made'
      },
      seed: () => source,
      reloadTls: null,
    },
  })
  onTestFinished(() => admin.stop())
  const way = new FaultyWay(admin.port)
  const url = await way.listen()
  const states: string[] = []
  const into = newFolder()
  const take = (taking: Taking = {}) =>
    seedFolder({
      folder: taking.folder ?? into,
      server: { url: taking.url ?? url, token: taking.token ?? TOKEN },
      market: taking.market ?? null,
      log: { info: log, warn: log },
      onState: (sentence) => states.push(sentence),
      times: taking.times ?? { silenceMs: 10_000, giveUpMs: 60_000 },
    })
  return { given, way, into, take, lines, states, url }
}

/** The taker's folder has what a start needs of the giver's, byte for byte, and nothing else. */
function expectSame(given: GivenFolder, into: string, names = given.names): void {
  expect(fs.readdirSync(into).sort()).toEqual(['market', ...names].sort())
  for (const name of ['market', ...names]) {
    const [wanted, found] = [given.path, into].map((path) => fs.readFileSync(join(path, name)))
    expect(found?.equals(wanted ?? Buffer.alloc(0)), name).toBe(true)
  }
}

function filled(): GivenFolder {
  const given = new GivenFolder()
  given.snapshot(7)
  return given
}

test('an empty folder gets the snapshot, its chunks and the market, byte for byte and nothing else', async () => {
  const { given, way, into, take, lines, states } = await standing(filled())
  expect(await take()).toBe(true)
  expectSame(given, into)
  const bytes = given.names.reduce((sum, name) => sum + given.bytesOf(name), 0)
  expect(way.fileBytes).toBe(bytes)
  expect(lines.at(-1)).toContain(`"seq":7,"bytes":${bytes}`)
  expect(states[0]).toContain('is asked for its market')
  expect(states.at(-1)).toMatch(/[\d,]+ of [\d,]+ bytes\.$/)
})

test('a snapshot is made before one is taken, and what is in both is fetched once', async () => {
  const given = filled()
  const { way, into, take } = await standing(given, () => given.snapshot(9))
  await take()
  expectSame(
    given,
    into,
    given.names.filter((name) => !SNAPSHOT.endsWith(name)),
  )
  expect([way.times(SWAPS), way.times(POSITIONS), way.times(SNAPSHOT), way.times(NEWER)]).toEqual([
    1, 1, 0, 1,
  ])
})

test('an instance that has no snapshot yet is asked until it has one', async () => {
  const given = new GivenFolder()
  let orders = 0
  const { into, take } = await standing(given, () => {
    orders += 1
    if (orders === 3) given.snapshot(7)
  })
  await take()
  expectSame(given, into)
  expect(orders).toBe(3)
})

test('a folder that holds a market is left as it is, and the log says so', async () => {
  for (const name of ['snapshot-0000000000000001.mfs', 'journal-0000000000000001.mfj']) {
    const { way, into, take, lines } = await standing(filled())
    fs.writeFileSync(join(into, name), 'mine')
    expect(await take()).toBe(false)
    expect(fs.readdirSync(into)).toEqual([name])
    expect(way.asked).toEqual([])
    expect(lines).toEqual([expect.stringContaining('DATA_DIR holds a market already')])
  }
})

test('what was cut off is asked for from there on, and no byte comes twice', async () => {
  const { given, way, into, take } = await standing(filled())
  way.fault = (path, nth) => (path.startsWith('/seed/') && nth <= 3 ? cutAfter(500_000) : undefined)
  await take()
  expectSame(given, into)
  expect([way.times(SWAPS), way.times(SNAPSHOT)]).toEqual([4, 4])
  expect(way.fileBytes).toBe(given.names.reduce((sum, name) => sum + given.bytesOf(name), 0))
})

test('an answer that ends before its bytes are there is no file, and the rest is asked for', async () => {
  const { given, way, into, take, lines } = await standing(filled())
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
    const { given, way, into, take, lines } = await standing(filled())
    way.fault = (asked, nth) => (asked === path && nth === 1 ? flip(byte) : undefined)
    await take()
    expectSame(given, into)
    expect(way.times(path)).toBe(2)
    expect(lines.filter((line) => line.includes('it came damaged'))).toHaveLength(1)
  },
)

test('a file that comes damaged each time stops the start, and leaves no snapshot in the folder', async () => {
  const { way, into, take } = await standing(filled())
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

test('an order of a snapshot that fails is followed by what there is', async () => {
  const { given, way, into, take, lines } = await standing(filled())
  way.fault = (path) => (path === '/snapshot' ? instead(500, 'no room') : undefined)
  await take()
  expectSame(given, into)
  expect(lines.some((line) => line.includes('an older one is used'))).toBe(true)
})

test('a server that stops in the middle is asked again after a time without a byte', async () => {
  const { given, way, into, take, lines } = await standing(filled())
  way.fault = (path, nth) => (path === SWAPS && nth === 1 ? stopAfter(2_000_000) : undefined)
  await take({ times: { silenceMs: 500, giveUpMs: 60_000 } })
  expectSame(given, into)
  expect(lines.some((line) => line.includes('nothing came for 0.5 s'))).toBe(true)
})

test('a server that is slow and never silent is waited for', async () => {
  const { given, way, into, take, lines } = await standing(filled())
  way.fault = (path) => (path === SNAPSHOT ? inPieces(20, 100) : undefined)
  await take({ times: { silenceMs: 1_500, giveUpMs: 60_000 } })
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
  const given = filled()
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
  const { way, take } = await standing(filled())
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

test('a wrong token is told at once and not tried again', async () => {
  const { way, take, into } = await standing(filled())
  await expect(take({ token: 'another-token-of-length' })).rejects.toMatchObject({
    code: 'seed',
    message: expect.stringContaining('set SEED_TOKEN to the ADMIN_TOKEN'),
  })
  expect(way.asked).toEqual(['/seed'])
  expect(fs.readdirSync(into)).toEqual([])
})

test.each([
  { version: SNAPSHOT_VERSION + 1, says: 'does not read: install that one here' },
  { version: 1, says: 'does not read any more: upgrade it first' },
])('snapshots of version $version are not fetched', async ({ version, says }) => {
  const { way, take } = await standing(filled())
  const other = (body: string) => body.replace(/"version":\d+/, `"version":${version}`)
  way.fault = (path) => (path === '/seed' ? changed(other) : undefined)
  await expect(take()).rejects.toMatchObject({
    code: 'seed',
    message: expect.stringContaining(says),
  })
  expect(way.fileBytes).toBe(0)
})

test.each([
  { status: 200, body: '{"program":"1.0.0","snapshots":"many"}', says: 'does not read' },
  { status: 404, body: 'no such path', says: 'SEED_URL must be its ADMIN_PORT' },
  { status: 409, body: '{"message":"DATA_DIR is none."}', says: 'DATA_DIR is none' },
  { status: 403, body: 'only programs of this machine', says: 'give it an ADMIN_TOKEN' },
])('an answer $status to the list stops the start: $says', async ({ status, body, says }) => {
  const { way, take } = await standing(filled())
  way.fault = (path) => (path === '/seed' ? instead(status, body) : undefined)
  await expect(take()).rejects.toMatchObject({
    code: 'seed',
    message: expect.stringContaining(says),
  })
  expect(way.asked).toEqual(['/seed'])
})

test.each([503, 502, 429])('an answer %i may pass and is asked again', async (status) => {
  const { given, way, into, take } = await standing(filled())
  way.fault = (path, nth) => (path === '/seed' && nth < 3 ? instead(status, 'later') : undefined)
  await take()
  expectSame(given, into)
})

test('an instance that is not there is given up after a time, and the sentence says why', async () => {
  const { take, lines } = await standing(filled())
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
  const { way, take } = await standing(filled())
  way.fault = (path) => (path === '/seed' ? endless(1_000_000) : undefined)
  await expect(take({ times: { silenceMs: 10_000, giveUpMs: 0 } })).rejects.toMatchObject({
    code: 'seed_unreached',
    message: expect.stringContaining('longer than 67108864 bytes'),
  })
})

test('a redirect is not followed: the token is for one address', async () => {
  const { way, take, url } = await standing(filled())
  const elsewhere = new FaultyWay(Number(new URL(url).port))
  const other = await elsewhere.listen()
  way.fault = (path) =>
    path === '/seed'
      ? (answer, response) => {
          answer.resume()
          response.writeHead(302, { location: `${other}/seed` }).end()
        }
      : undefined
  await expect(take()).rejects.toMatchObject({
    code: 'seed',
    message: expect.stringContaining('(302)'),
  })
  expect(elsewhere.asked).toEqual([])
})

test.each([
  { held: 'simulated', market: 'chain', isTaken: false },
  { held: 'chain', market: 'simulated', isTaken: false },
  { held: 'chain', market: 'chain', isTaken: true },
  { held: 'simulated', market: null, isTaken: true },
  { held: null, market: 'chain', isTaken: true },
] as const)(
  'of an instance that holds $held one with FEED of $market takes: $isTaken',
  async ({ held, market, isTaken }) => {
    const given = new GivenFolder(held)
    given.snapshot(7)
    const { way, into, take } = await standing(given)
    if (isTaken) {
      await take({ market })
      expect(fs.existsSync(join(into, 'market'))).toBe(held !== null)
      if (held !== null) expectSame(given, into)
      return
    }
    await expect(take({ market })).rejects.toMatchObject({
      code: 'seed',
      message: expect.stringContaining('set the other FEED'),
    })
    expect(way.fileBytes).toBe(0)
  },
)
