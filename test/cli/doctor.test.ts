import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import {
  checkClock,
  checkDescriptors,
  checkMemory,
  checkNode,
  doctor,
} from '../../src/cli/doctor.ts'
import { checkContents } from '../../src/commands/folder-checks.ts'
import { TAPE_CHUNK_RECORDS } from '../../src/engine/state/tape.ts'
import { bootId, lockFolder } from '../../src/store/folder/process-lock.ts'
import { filledFolder } from '../commands/folders.ts'
import { contentsOf, filesOf, flipByte } from '../data-files.ts'
import { hasFlock } from '../has-flock.ts'
import { newFolder } from '../new-folder.ts'
import { freePort, listening } from '../process/free-port.ts'
import { HAS_OPENSSL, makeCertificate } from '../server/certificates.ts'
import { systemError } from '../store/disks/crash-disk.ts'

let folder = ''
beforeEach(() => {
  folder = newFolder()
})

async function examine(environment: Record<string, string>, args: readonly string[] = []) {
  const stdout = new PassThrough()
  const terminal = { stdin: new PassThrough(), stdout, stderr: new PassThrough() }
  const settings = { PORT: '0', DATA_DIR: folder, ...environment }
  const code = await doctor(args, { ...terminal, environment: settings })
  return { code, text: String(stdout.read()) }
}

test('where nothing stands in the way it says so, line by line', async () => {
  const { code, text } = await examine({})
  expect(code).toBe(0)
  expect(text).toMatch(/^good {2}PORT/m)
  expect(text).toMatch(/^good {2}data folder/m)
  expect(text).toContain('nothing stands in the way')
})

test('a variable that is nearly a setting is a warning, also where a setting cannot be used', async () => {
  for (const [environment, code] of [
    [{ DATADIR: folder }, 0],
    [{ DATADIR: folder, SPEED: '0' }, 2],
  ] as const) {
    const told = await examine(environment)
    expect(told.code).toBe(code)
    expect(told.text).toMatch(/^warn {2}settings +The variable DATADIR .* DATA_DIR may be meant/m)
  }
})

test('it says which state of the platform is read', async () => {
  const { text } = await examine({})
  expect(text).toMatch(
    /^good {2}platform +Events are read as the platform emits them since 2026-10-08 \(32 of pump, 27 of pump_amm\)/m,
  )
})

test('a port in use is bad, with what to do', async () => {
  const other = createServer()
  const port = String(await listening(other))
  const { code, text } = await examine({}, ['--port', port])
  other.close()
  expect(code).toBe(1)
  expect(text).toMatch(/^bad {3}PORT .+ stop what uses it, or give another PORT\.$/m)
})

test('an address that cannot be had is told as a start tells it', async () => {
  const { code, text } = await examine({ HOST: '203.0.113.7', PORT: '8080' })
  expect(code).toBe(1)
  expect(text).toMatch(
    /^bad {3}PORT +203\.0\.113\.7:8080 cannot be had, the address is not one of this machine: give another address or PORT\.$/m,
  )
})

test('a disk is judged by what a snapshot leaves to the journal, on a small one a part of it', async () => {
  const mebibyte = 2 ** 20
  for (const [blocks, bavail, sentence] of [
    [512, 27, /^warn +disk +27 MiB are free: a day/m],
    [512, 25, /^bad +disk +25 MiB are free, too few for any snapshot/m],
    [51_200, 65, /^warn +disk/m],
    [51_200, 63, /^bad +disk/m],
    [0, 0, /^warn +disk +Its file system does not say how much is free/m],
  ] as const) {
    const { type, bfree, files, ffree } = fs.statfsSync(folder)
    const asking = vi
      .spyOn(fs, 'statfsSync')
      .mockReturnValue({ type, bfree, files, ffree, blocks, bavail, bsize: mebibyte })
    const { text } = await examine({})
    asking.mockRestore()
    expect(text).toMatch(sentence)
  }
})

test('one port for both of the service is bad: it would not start', async () => {
  const PORT = String(await freePort())
  const { code, text } = await examine({ PORT, ADMIN_PORT: PORT, ADMIN_TOKEN: 'a token, a token' })
  expect(code).toBe(2)
  expect(text).toMatch(/^good {2}PORT/m)
  expect(text).toMatch(/^bad {3}ADMIN_PORT .+ it is that of PORT: give another ADMIN_PORT\.$/m)
  const apart = await examine({ PORT: '0', ADMIN_PORT: '0' })
  expect(apart.text).toMatch(/^good {2}ADMIN_PORT/m)
})

test.skipIf(!HAS_OPENSSL)(
  'settings, feeds, TLS files and folders that cannot be used are bad',
  async () => {
    const settings = await examine({ SPEED: '0' })
    expect(settings).toMatchObject({
      code: 2,
      text: expect.stringMatching(/^bad {3}settings .*SPEED/m),
    })
    const feeds = await examine({ FEED: 'replay:/nowhere' })
    expect(feeds).toMatchObject({
      code: 2,
      text: expect.stringMatching(/^bad {3}feeds .*\/nowhere/m),
    })
    const files = makeCertificate('doctor')
    copyFileSync(makeCertificate('other').keyFile, files.keyFile)
    const tls = { TLS_CERT: files.certFile, TLS_KEY: files.keyFile }
    expect(await examine(tls)).toMatchObject({
      code: 2,
      text: expect.stringMatching(/^bad {3}TLS/m),
    })
    // Node takes this one, and the library under the sockets does not.
    const unserved = makeCertificate('unserved', undefined, ['ed448'])
    const { certFile, keyFile } = unserved
    expect(await examine({ TLS_CERT: certFile, TLS_KEY: keyFile })).toMatchObject({
      code: 2,
      text: expect.stringMatching(/^bad {3}TLS .* cannot be served: take PEM .*Ed25519\.$/m),
    })
    // Root may write there by its rights, and finds no room.
    expect((await examine({ DATA_DIR: '/proc/nowhere/data' })).code).not.toBe(0)
  },
)

test('a TRUST_PROXY that a start would refuse is bad, with what the start would say', async () => {
  for (const entry of ['foo', '10.0.0.0/33', '10.0.0.1, proxy.example/0']) {
    const { code, text } = await examine({ TRUST_PROXY: entry })
    expect(code).toBe(2)
    expect(text.match(/^bad .*$/gm)).toEqual([
      expect.stringMatching(/^bad {3}proxies +TRUST_PROXY came with ".+", addresses and CIDRs are/),
    ])
  }
  const { code, text } = await examine({ TRUST_PROXY: '10.0.0.0/8, ::1' })
  expect([code, text]).toEqual([0, expect.not.stringContaining('proxies')])
})

test('rules of ALERTS_FILE are looked at as a start does, and by no sequencer', async () => {
  const ALERTS_FILE = join(folder, 'alerts.json')
  const rule = { id: 'r', when: { kind: 'migration' }, to: { live: true } }
  for (const [rules, code, says] of [
    [null, 2, /^bad {3}alerts +ALERTS_FILE .* cannot be used: ENOENT/m],
    [[{ ...rule, id: undefined }], 2, /^bad {3}alerts .* rule 1 has no id\.$/m],
    [[rule, rule], 2, /^bad {3}alerts .* two rules have the id "r"\.$/m],
    [[rule], 0, /^good {2}alerts +The rules of ALERTS_FILE can be used: 1\.$/m],
  ] as const) {
    if (rules !== null) writeFileSync(ALERTS_FILE, JSON.stringify({ rules }))
    expect(await examine({ ALERTS_FILE })).toEqual({ code, text: expect.stringMatching(says) })
  }
  expect((await examine({ ALERTS_FILE }, ['--sequence'])).text).not.toMatch(/^good {2}alerts/m)
})

test('of a start that comes about though nobody should want it the doctor ends with 1, not 2', async () => {
  const everybody = await examine({ TRUST_PROXY: '0.0.0.0/0' })
  expect(everybody.text).toMatch(/^bad {3}proxies .*trusts everybody/m)
  expect(everybody.code).toBe(1)
})

test.skipIf(!HAS_OPENSSL)(
  'a certificate that has ended, which a start takes, is bad and ends with 1',
  async () => {
    const { certFile, keyFile } = makeCertificate('ended')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3 * 86_400_000 })
    onTestFinished(() => void vi.useRealTimers())
    const { code, text } = await examine({ TLS_CERT: certFile, TLS_KEY: keyFile })
    expect(text).toMatch(/^bad {3}TLS .*has ended/m)
    expect(code).toBe(1)
  },
)

test('what is only unwise is a warning and no hindrance', async () => {
  const { code, text } = await examine({ DATA_DIR: 'none', HOST: '0.0.0.0', RATE_LIMIT: 'off' })
  expect(code).toBe(0)
  expect(text).toMatch(/^warn {2}data folder/m)
  expect(text).toMatch(/^warn {2}rate limit/m)
  const ADMIN_TOKEN = 'sixteen-letters-long'
  const admin = await examine({ ADMIN_PORT: '0', ADMIN_HOST: '0.0.0.0', ADMIN_TOKEN })
  expect(admin.code).toBe(0)
  expect(admin.text).toMatch(/^warn {2}admin port .*plain HTTP/m)
  expect(admin.text).not.toContain(ADMIN_TOKEN)
  const near = await examine({ ADMIN_PORT: '0', ADMIN_TOKEN })
  expect(near.text).not.toMatch(/^warn {2}admin port/m)
})

test('a folder that a start would refuse is bad, with what the start would say', async () => {
  // It looks for a second or two: here all of it is read, also where the machine stands still meanwhile.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  onTestFinished(() => clock.mockRestore())
  const inContents = async (damage: (folder: string) => void) => {
    const { folder: data } = filledFolder({ chunkRecords: TAPE_CHUNK_RECORDS })
    damage(data)
    const before = contentsOf(data)
    const { code, text } = await examine({ DATA_DIR: data })
    expect(contentsOf(data)).toEqual(before)
    return `${code} ${/^(\w+ +contents .*)$/m.exec(text)?.[1]}`
  }
  const journal = (data: string) => filesOf(data, 'journal-').at(-1) ?? ''
  const snapshots = (data: string) => filesOf(data, 'snapshot-')
  expect(await inContents(() => {})).toMatch(
    /^0 good {2}contents +The service would start at seq 1,500, from the snapshot of seq 1,000\.$/,
  )
  expect(await inContents((data) => flipByte(journal(data), 5_000))).toMatch(
    /^3 bad {3}contents .* would not start: The journal is damaged in the middle/,
  )
  expect(
    await inContents((data) => {
      for (const path of snapshots(data)) flipByte(path, 2_000)
      fs.rmSync(filesOf(data, 'journal-')[0])
    }),
  ).toMatch(/^3 bad {3}contents .* These snapshots are damaged: .+ Put back the snapshot/)
  expect(await inContents((data) => flipByte(snapshots(data)[1], 2_000))).toMatch(
    /^0 warn {2}contents .*1000\.mfs is damaged .* from the snapshot of seq 500\.$/,
  )
  expect(await inContents((data) => fs.appendFileSync(journal(data), Buffer.alloc(10)))).toMatch(
    /^0 warn {2}contents .* 10 bytes .* are half a write and would be cut off\.$/,
  )
  expect(await inContents((data) => fs.truncateSync(journal(data), 5_000))).toMatch(
    /^0 warn {2}contents .* are half a write and would be cut off; with a new epoch: events/,
  )
})

test('a folder whose reading takes longer is not called whole', async () => {
  const { folder: data } = filledFolder()
  expect(checkContents(data, -1)).toMatchObject({
    level: 'good',
    says: expect.stringContaining('Not all was read in the time: "mintfeed inspect"'),
  })
})

test('a folder of whose snapshot not all was read in the time is not called whole, though its journal was', () => {
  const { folder: data } = filledFolder()
  // The time for snapshots is over after the first piece, that for the journal never.
  const times = [0, 2_000]
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => times.shift() ?? 2_000)
  onTestFinished(() => clock.mockRestore())
  expect(checkContents(data, 1_000)).toMatchObject({
    level: 'good',
    says: expect.stringMatching(/^The service would start at seq .* Not all was read in the time/),
  })
})

test('a folder in use, and a DATA_DIR that is no folder, are bad and end with 3', async () => {
  const file = join(folder, 'a-file')
  writeFileSync(file, '')
  for (const DATA_DIR of [file, join(file, 'below')])
    expect(await examine({ DATA_DIR })).toMatchObject({
      code: 3,
      text: expect.stringMatching(/^bad {3}data folder .*a-file is no folder/m),
    })
  const { folder: data } = filledFolder()
  const holder = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'])
  onTestFinished(() => void holder.kill('SIGKILL'))
  const stat = fs.readFileSync(`/proc/${holder.pid}/stat`, 'latin1')
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  const lock = { pid: holder.pid, started, boot: bootId() }
  writeFileSync(join(data, 'lock'), JSON.stringify(lock))
  expect(await examine({ DATA_DIR: data })).toMatchObject({
    code: 3,
    text: expect.stringMatching(
      new RegExp(`^bad {3}contents .*is used by process ${holder.pid}`, 'm'),
    ),
  })
})

test('a link that leads nowhere, as to a disk that is not mounted, is bad and ends with 3', async () => {
  const link = join(newFolder(), 'link')
  fs.symlinkSync(join(link, '../nowhere'), link)
  for (const DATA_DIR of [link, join(link, 'below')]) {
    const { code, text } = await examine({ DATA_DIR })
    expect(code).toBe(3)
    expect(text).toMatch(/^bad {3}data folder .*link is a link that leads nowhere: /m)
  }
})

test('a folder of a file system that is read-only is told to be that', async () => {
  const asking = vi.spyOn(fs, 'accessSync').mockImplementation(() => {
    throw systemError('EROFS', 'access')
  })
  const { code, text } = await examine({}).finally(() => asking.mockRestore())
  expect(code).toBe(3)
  expect(text).toMatch(/^bad {3}data folder .* file system is read-only/m)
})

test.each([
  ['writeSync', 'ENOSPC', 'write'],
  ['fsyncSync', 'EIO', 'fsync'],
] as const)(
  'a disk that refuses %s is bad and ends with 3, as the start',
  async (call, code, word) => {
    const there = await refused(folder)
    const toBeMade = await refused(join(folder, 'a', 'b'))
    expect(fs.readdirSync(folder)).toEqual([])
    for (const told of [there, toBeMade]) {
      expect(told.code).toBe(3)
      expect(told.text).toMatch(
        new RegExp(`^bad {3}data folder .*\\(${code}.*${word}.*\\): mend that`, 'm'),
      )
    }

    function refused(DATA_DIR: string) {
      const asking = vi.spyOn(fs, call).mockImplementation(() => {
        throw systemError(code, word)
      })
      return examine({ DATA_DIR }).finally(() => asking.mockRestore())
    }
  },
)

test('what it tries in a folder leaves nothing behind, and a lock that is free stays free', async () => {
  for (const DATA_DIR of [folder, join(folder, 'a', 'b')]) {
    expect((await examine({ DATA_DIR })).code).toBe(0)
    expect(fs.readdirSync(folder)).toEqual([])
  }
  lockFolder(folder)()
})

test.skipIf(!hasFlock)(
  'a folder whose lock somebody holds that nobody can name, as in another container, is bad and ends with 3',
  async () => {
    const holder = spawn('flock', ['-n', folder, '-c', 'echo locked; cat'])
    onTestFinished(() => void holder.kill('SIGKILL'))
    await once(holder.stdout, 'data')
    const { code, text } = await examine({})
    holder.stdin.end()
    expect(code).toBe(3)
    expect(text).toMatch(
      /^bad {3}data folder .* is used by another program, perhaps in another container/m,
    )
  },
)

test.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux')(
  'a disk that has room and no inode left is bad and ends with 3, as the start',
  async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m,nr_inodes=2', 'tmpfs', folder])
    onTestFinished(() => void execFileSync('umount', ['-l', folder]))
    writeFileSync(join(folder, 'last'), '')
    const { code, text } = await examine({})
    expect(code).toBe(3)
    expect(text).toMatch(/^bad {3}data folder .*ENOSPC/m)
  },
)

test('memory is judged by all that may stay in it', async () => {
  const { text } = await examine({ TAPE_MEMORY: '1mb', POSITIONS_MEMORY: '100000gb' })
  expect(text).toMatch(/^warn {2}memory .*POSITIONS_MEMORY/m)
})

test('a folder that this user may not read, or whose files it may not write, is bad and ends with 3', async () => {
  const kept = newFolder()
  const segment = join(kept, 'journal-0000000000000001.mfj')
  writeFileSync(segment, '')
  const environment = { DATA_DIR: kept }
  const listing = vi.spyOn(fs, 'readdirSync').mockImplementation(() => {
    throw systemError('EACCES', 'scandir')
  })
  const unread = await examine(environment).finally(() => listing.mockRestore())
  expect(unread.code).toBe(3)
  expect(unread.text).toMatch(/^bad {3}contents .*EACCES.*scandir.*: mend that/m)
  const ring = join(kept, 'journal.ring')
  writeFileSync(ring, '')
  for (const refused of [segment, ring]) {
    const { accessSync } = fs
    const asking = vi.spyOn(fs, 'accessSync').mockImplementation((path, mode) => {
      if (path === refused) throw systemError('EACCES', 'access')
      accessSync(path, mode)
    })
    const unwritable = await examine(environment).finally(() => asking.mockRestore())
    expect(unwritable.code).toBe(3)
    expect(unwritable.text).toMatch(/^bad {3}contents .*EACCES.*access.*: mend that/m)
  }
  const tooLong = await examine({ DATA_DIR: join(kept, 'a'.repeat(300)) })
  expect(tooLong.code).toBe(3)
  expect(tooLong.text).toMatch(/^bad {3}data folder .*ENAMETOOLONG.*: mend that/m)
})

test('a folder whose market this user may not read is bad and ends with 3', async () => {
  const kept = newFolder()
  mkdirSync(join(kept, 'market'))
  for (const FEED of ['sim', 'none']) {
    const { code, text } = await examine({ DATA_DIR: kept, FEED })
    expect(code, FEED).toBe(3)
    expect(text).toMatch(/^bad {3}market .*EISDIR.*: mend that/m)
  }
})

test('a folder that does not say what market it holds is a warning, where FEED tells of one', async () => {
  const { folder: data } = filledFolder()
  const simulated = await examine({ DATA_DIR: data })
  expect(simulated.code).toBe(0)
  expect(simulated.text).toMatch(/^warn {2}market .* it counts as a simulated market from now on/m)
  expect((await examine({ DATA_DIR: data, FEED: 'none' })).text).not.toMatch(/^warn {2}market/m)
})

test('the machine is judged by what it has', () => {
  expect(checkDescriptors(65_536, 60_000, 256).level).toBe('good')
  expect(checkDescriptors(60_256, 60_000, 256).level).toBe('good')
  expect(checkDescriptors(60_255, 60_000, 256)).toMatchObject({
    level: 'warn',
    says: expect.stringContaining('so 59999 sockets and not SOCKETS=60000'),
  })
  expect(checkDescriptors(20_000, 60_000, 256).level).toBe('warn')
  expect(checkDescriptors(512, 60_000, 256).level).toBe('bad')
  expect(checkMemory(0).level).toBe('good')
  expect(checkMemory(2 ** 50).level).toBe('warn')
  // A compactor has as much once more.
  expect(checkMemory(0.6 * os.totalmem()).level).toBe('warn')
  expect(checkNode('v22.1.0').level).toBe('good')
  expect(checkNode('v24.0.0').level).toBe('bad')
  expect(checkClock(null, Date.UTC(1970, 0, 1)).level).toBe('bad')
  expect(checkClock(Date.UTC(2026, 0, 2), Date.UTC(2026, 0, 1)).level).toBe('warn')
  expect(checkClock(Date.UTC(2025, 11, 30), Date.UTC(2026, 0, 1)).level).toBe('good')
})

test('a file of the folder that is newer than the clock says that this was set back, whatever the others are', async () => {
  const data = newFolder()
  for (const name of ['a', 'b', 'c']) writeFileSync(join(data, name), '')
  const laterSeconds = Math.floor(Date.now() / 1000) + 86_400
  fs.utimesSync(join(data, 'b'), laterSeconds, laterSeconds)
  const { text } = await examine({ DATA_DIR: data })
  const later = new Date(laterSeconds * 1000).toISOString()
  expect(text).toMatch(new RegExp(`^warn {2}clock .*DATA_DIR was written at ${later}`, 'm'))
})

test('what a service writes while its folder is looked at is no sign of a clock that was set back', async () => {
  const data = newFolder()
  writeFileSync(join(data, 'written'), '')
  const clock = Date.now
  const waiting = new Int32Array(new SharedArrayBuffer(4))
  const asking = vi.spyOn(Date, 'now').mockImplementation(() => {
    const nowMs = clock()
    Atomics.wait(waiting, 0, 0, 20)
    writeFileSync(join(data, 'written'), '')
    return nowMs
  })
  onTestFinished(() => asking.mockRestore())
  const { text } = await examine({ DATA_DIR: data })
  expect(text).toMatch(/^good {2}clock/m)
})
