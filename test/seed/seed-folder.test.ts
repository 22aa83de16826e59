import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SNAPSHOT_VERSION } from '../../src/store/snapshot/snapshot-file.ts'
import { changed, FaultyWay, instead } from './faulty-way.ts'
import { GivenFolder } from './given-folder.ts'
import { expectSame, filled, NEWER, POSITIONS, SNAPSHOT, SWAPS, standing } from './standing.ts'

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

test('a stream that was begun a moment ago gets a snapshot of its own, not one of the stream before', async () => {
  const given = filled()
  given.epoch = 'of-the-new-stream'
  const { into, take, way } = await standing(given, () => given.snapshot(9))
  await take({ epoch: 'of-the-new-stream' })
  expectSame(
    given,
    into,
    given.names.filter((name) => !SNAPSHOT.endsWith(name)),
  )
  expect(way.times(SNAPSHOT)).toBe(0)
})

test('an instance of another stream is refused, and has no snapshot made', async () => {
  let orders = 0
  const { take } = await standing(filled(), () => {
    orders += 1
  })
  await expect(take({ epoch: 'of-another' })).rejects.toThrow(/another epoch than this stream/)
  expect(orders).toBe(0)
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

test('an order of a snapshot that fails is followed by what there is', async () => {
  const { given, way, into, take, lines } = await standing(filled(false))
  way.fault = (path) => (path === '/snapshot' ? instead(500, 'no room') : undefined)
  await take()
  expectSame(given, into)
  expect(lines.some((line) => line.includes('an older one is used'))).toBe(true)
})

test('a wrong token is told at once and not tried again', async () => {
  const { way, take, into } = await standing(filled(false))
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
  const { way, take } = await standing(filled(false))
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
  const { way, take } = await standing(filled(false))
  way.fault = (path) => (path === '/seed' ? instead(status, body) : undefined)
  await expect(take()).rejects.toMatchObject({
    code: 'seed',
    message: expect.stringContaining(says),
  })
  expect(way.asked).toEqual(['/seed'])
})

test.each([503, 502, 429])('an answer %i may pass and is asked again', async (status) => {
  const { given, way, into, take } = await standing(filled(false))
  way.fault = (path, nth) => (path === '/seed' && nth < 3 ? instead(status, 'later') : undefined)
  await take()
  expectSame(given, into)
})

test('a redirect is not followed: the token is for one address', async () => {
  const { way, take, url } = await standing(filled(false))
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
    const given = new GivenFolder(held, false)
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
