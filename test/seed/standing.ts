import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { Market } from '../../src/config/source-settings.ts'
import { seedFolder } from '../../src/seed/seed-folder.ts'
import { SeedSource } from '../../src/seed/seed-source.ts'
import { startAdmin } from '../../src/server/admin/admin-server.ts'
import { newFolder } from '../new-folder.ts'
import { FaultyWay } from './faulty-way.ts'
import { GivenFolder } from './given-folder.ts'

const TOKEN = 'a-token-of-some-length'
export const SWAPS = '/seed/tape-0000000000000000.mft'
export const POSITIONS = '/seed/positions-0000000000000000.mfp'
export const SNAPSHOT = '/seed/snapshot-0000000000000007.mfs'
export const NEWER = '/seed/snapshot-0000000000000009.mfs'

interface Taking {
  readonly folder?: string
  readonly market?: Market | null
  readonly token?: string
  readonly url?: string
  readonly epoch?: string
  readonly times?: { readonly silenceMs: number; readonly giveUpMs: number }
}

/** An instance that gives `given`, a way to it, and one that takes; an order of a snapshot makes what `order` makes. */
export async function standing(given = new GivenFolder(), order: () => void = () => {}) {
  const chunkCrcs = { chunkCrcs: [1] }
  const source = new SeedSource({
    ...{ folder: given.path, epoch: given.epoch },
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
      ...(taking.epoch === undefined ? {} : { epoch: taking.epoch }),
      log: { info: log, warn: log },
      onState: (sentence) => states.push(sentence),
      times: taking.times ?? { silenceMs: 10_000, giveUpMs: 60_000 },
    })
  return { given, way, into, take, lines, states, url }
}

/** The taker's folder has what a start needs of the giver's, byte for byte, and nothing else. */
export function expectSame(given: GivenFolder, into: string, names = given.names): void {
  expect(fs.readdirSync(into).sort()).toEqual(['market', ...names].sort())
  for (const name of ['market', ...names]) {
    const [wanted, found] = [given.path, into].map((path) => fs.readFileSync(join(path, name)))
    expect(found?.equals(wanted ?? Buffer.alloc(0)), name).toBe(true)
  }
}

/** One that has a snapshot, and its chunks or none. */
export function filled(hasChunks = true): GivenFolder {
  const given = new GivenFolder('simulated', hasChunks)
  given.snapshot(7)
  return given
}
