import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { jetstreamManager } from '@nats-io/jetstream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { JOURNAL_VERSION, SEGMENT } from '../../src/store/format/journal-format.ts'
import { treeOf } from '../data-files.ts'
import { byLength } from '../lengths.ts'
import { natsServer } from '../nats/nats-binary.ts'
import { type NatsServers, startNats } from '../nats/nats-servers.ts'
import { newFolder } from '../new-folder.ts'
import { until } from '../process/program.ts'
import { removedFolder } from '../removed-folder.ts'
import { ROOT } from '../tidy/source-files.ts'
import { crowdOfLines } from './folders.ts'
import {
  ADMIN_TOKEN,
  askOfStream,
  Copy,
  messagesOf,
  publishedIn,
  someMessages,
} from './stream-copies.ts'

const path = natsServer('any')

describe.skipIf(path === null)('commands on a stream', () => {
  let nats: NatsServers
  let url = ''
  let serverFolder = ''
  beforeAll(async () => {
    serverFolder = fs.mkdtempSync(join(tmpdir(), 'mintfeed-'))
    nats = await startNats({ servers: 1, sync: 'default', folder: serverFolder, path: path ?? '' })
    url = nats.urls[0] ?? ''
  })
  afterAll(async () => {
    await nats.stopAll()
    await removedFolder(serverFolder)
  })
  /** Orders that no sequencer gives. */
  async function manage<T>(
    order: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>,
  ): Promise<T> {
    const connection = await nats.connect()
    try {
      return await order(await jetstreamManager(connection))
    } finally {
      await connection.close()
    }
  }

  test('inspect tells what the stream is, what is in it and who may write', async () => {
    const epoch = randomUUID()
    const { stream, environment } = await publishedIn(url, messagesOf(crowdOfLines(7, 568), epoch))
    const without = await askOfStream(environment, 'inspect', '--stream')
    expect(without).toMatchObject({ code: 0, errors: '' })
    expect(without.output).toContain(`stream ${environment.NATS_STREAM} of 127.0.0.1:`)
    expect(without.output).toMatch(/messages 1 to 31, 31 of them .* seq 0 to 600 {2}epoch /)
    expect(without.output).toContain('nobody holds the lease\n  every message is whole\n')
    expect(without.output).toContain('would fold it from its beginning, then go to seq 600\n')
    await (await stream.leases()).create('the one on duty')
    const { output } = await askOfStream(environment, 'inspect', '--stream', '--json')
    expect(JSON.parse(output)).toMatchObject({
      stream: { first: 1, last: 31, epoch, writer: 'the one on duty', replicas: 1, damage: null },
      totals: { seqs: { from: 0, to: 600 } },
    })
  })

  test('verify folds it, and export has the lines that the folder of a copy has', async () => {
    const messages = someMessages()
    const { environment } = await publishedIn(url, messages)
    const verified = await askOfStream(environment, 'verify', '--stream')
    expect(verified).toMatchObject({ code: 0 })
    expect(verified.output).toMatch(/^good {2}stream \S+: 31 messages are whole/)
    expect(verified.output).toContain('seq 0 to 600\nall 2 checks hold\n')
    const { folder } = new Copy(randomUUID()).take(messages).close()
    const [ofStream, ofCopy] = [
      await askOfStream(environment, 'export', '--stream'),
      await askOfStream({}, 'export', '--data-dir', folder),
    ]
    expect(ofStream.output.split('\n')).toHaveLength(601)
    expect(ofStream.output).toBe(ofCopy.output)
    const [first, second] = [newFolder(), newFolder()]
    expect(await parquetOf(environment, first, '--stream')).toMatchObject({ code: 0, output: '' })
    expect(await parquetOf({}, second, '--data-dir', folder)).toMatchObject({ code: 0 })
    expect(treeOf(first)).toEqual(treeOf(second))
    expect(Object.keys(treeOf(first))).toHaveLength(2)
  })

  function parquetOf(environment: Record<string, string>, out: string, ...from: string[]) {
    const flags = ['--format', 'parquet', '--what', 'swaps', '--out', out]
    return askOfStream(environment, 'export', ...from, ...flags)
  }

  describe('a message that cannot be folded is named, and what is before it is there', () => {
    const changed = (change: (bytes: Buffer<ArrayBuffer>) => unknown) => (good: Uint8Array) => {
      const bytes = Buffer.from(good)
      change(bytes)
      return bytes
    }
    const cases = [
      [
        'damaged',
        changed((bytes) => bytes.fill(255, bytes.length - 1)),
        /Message 5 of the stream has a frame/,
      ],
      ['foreign', () => Buffer.from('hello'), /Message 5 of the stream is none of mintfeed/],
      [
        'newer',
        (good: Uint8Array) => laterVersion(good),
        /Message 5 of the stream was written by a later version/,
      ],
      [
        'another one',
        (_: Uint8Array, all: readonly Uint8Array[]) => all[8],
        /Message 5 .* says that it is message 9/,
      ],
    ] as const
    test.each(cases.slice(0, byLength(1, cases.length)))(
      'one that is %s',
      async (_, change, sentence) => {
        const messages: Uint8Array[] = someMessages()
        messages[4] = change(messages[4] ?? Buffer.of(), messages) ?? Buffer.of()
        const { environment } = await publishedIn(url, messages)
        await expectBroken(environment, sentence)
      },
    )

    test('one that is missing', async () => {
      const { environment, stream } = await publishedIn(url, someMessages())
      await manage(({ streams }) => streams.deleteMessage(stream.name, 5))
      await expectBroken(environment, /Message 5 of the stream is not there/)
    })

    async function expectBroken(environment: Record<string, string>, sentence: RegExp) {
      const inspected = await askOfStream(environment, 'inspect', '--stream')
      expect(inspected.code).toBe(1)
      expect(inspected.output).toMatch(sentence)
      expect(inspected.output).toContain('seq 0 to 60')
      const verified = await askOfStream(environment, 'verify', '--stream')
      expect(verified.code).toBe(1)
      expect(verified.output).toMatch(sentence)
      const exported = await askOfStream(environment, 'export', '--stream')
      expect(exported.code).toBe(1)
      expect(exported.errors).toMatch(sentence)
      expect(exported.output.split('\n')).toHaveLength(61)
      const out = newFolder()
      const parquet = await parquetOf(environment, out, '--stream')
      expect(parquet.code).toBe(1)
      expect(parquet.errors).toMatch(sentence)
      expect(Object.keys(treeOf(out))).toHaveLength(2)
    }
  })

  test('a stream that lost its beginning is inspected as it is, and folded behind a seed', async () => {
    const messages = someMessages()
    const epoch = randomUUID()
    const { environment, stream } = await publishedIn(url, messagesOf(crowdOfLines(7, 568), epoch))
    await manage(({ streams }) => streams.purge(stream.name, { seq: 12 }))
    const inspected = await askOfStream(environment, 'inspect', '--stream')
    expect(inspected).toMatchObject({ code: 0 })
    expect(inspected.output).toContain('would take a seed first (SEED_URL), then go to seq 600')
    const unseeded = await askOfStream(environment, 'verify', '--stream')
    expect(unseeded).toMatchObject({ code: 3, output: '' })
    expect(unseeded.errors).toMatch(/^mintfeed: The stream does not go back .* set SEED_URL/)

    const own = messagesOf(crowdOfLines(7, 568), epoch)
    const SEED_URL = await new Copy(epoch).take(own.slice(0, 20)).snapshot().serve()
    const seeded = { ...environment, SEED_URL, SEED_TOKEN: ADMIN_TOKEN }
    const verified = await askOfStream(seeded, 'verify', '--stream')
    expect(verified).toMatchObject({ code: 0 })
    expect(verified.output).toContain(
      'journal from snapshot-0000000000000380.mfs to its end: seq 380 to 600',
    )
    const exported = await askOfStream(seeded, 'export', '--stream')
    const { folder } = new Copy(epoch).take(messages).close()
    const { output } = await askOfStream({}, 'export', '--data-dir', folder)
    expect(exported.output).toBe(output.split('\n').slice(200).join('\n'))
  })

  test('a stream or a server that is not there is told in one sentence', async () => {
    const missing = await askOfStream({ NATS_URL: url, NATS_STREAM: 'none' }, 'verify', '--stream')
    expect(missing).toMatchObject({ code: 3, output: '' })
    expect(missing.errors).toMatch(/^mintfeed: There is no stream "none" at 127\.0\.0\.1:\d+\.\n$/)
    const nowhere = await askOfStream({ NATS_URL: 'nats://127.0.0.1:1' }, 'export', '--stream')
    expect(nowhere).toMatchObject({ code: 3, output: '' })
    expect(nowhere.errors).toMatch(/^mintfeed: The stream cannot be asked: no server of NATS_URL/)
    const wrong = await askOfStream({ NATS_URL: 'http://x' }, 'inspect', '--stream')
    expect(wrong.code).toBe(2)
    expect(wrong.errors).toMatch(/^mintfeed: NATS_URL cannot be used/)
  })

  test('inspect of a copy tells where it stands, where NATS_URL is set', async () => {
    const epoch = randomUUID()
    const messages = messagesOf(crowdOfLines(7, 568), epoch)
    const { environment, stream } = await publishedIn(url, messages)
    const { folder } = new Copy(epoch).take(messages.slice(0, 11)).close()
    const told = (given: Record<string, string>) =>
      askOfStream(given, 'inspect', '--data-dir', folder)
    expect((await told(environment)).output).toContain(
      `copy of the stream ${stream.name}: at message 11 of 31, 20 messages and 400 events behind\n`,
    )
    expect((await told({})).output).not.toContain('copy of the stream')
    const whole = new Copy(epoch).take(messages).close()
    const { output } = await askOfStream(
      environment,
      'inspect',
      '--json',
      '--data-dir',
      whole.folder,
    )
    expect(JSON.parse(output)).toMatchObject({ position: { at: 31, last: 31, lag: 0 } })
    const other = await publishedIn(url, someMessages())
    expect((await told(other.environment)).output).toContain(
      'The stream has another epoch than this',
    )
    fs.rmSync(join(folder, 'stream'))
    expect((await told(environment)).output).not.toContain('copy of the stream')
  })

  test('the program itself knows streams', async () => {
    const { environment } = await publishedIn(url, someMessages())
    const scratch = newFolder()
    const program = join(ROOT, 'bin/mintfeed.js')
    const { status, stdout } = spawnSync(process.execPath, [program, 'verify', '--stream'], {
      env: { PATH: process.env.PATH, TMPDIR: scratch, ...environment },
      encoding: 'utf8',
    })
    expect(stdout).toContain('all 2 checks hold')
    expect(status).toBe(0)
    expect(fs.readdirSync(scratch)).toEqual([])
  })

  test('a command that is killed leaves no folder behind', async () => {
    const { environment } = await publishedIn(url, someMessages())
    const scratch = newFolder()
    const env = { PATH: process.env.PATH, TMPDIR: scratch, ...environment }
    const args = [join(ROOT, 'bin/mintfeed.js'), 'export', '--stream']
    const child = spawn(process.execPath, args, { env, stdio: 'ignore' })
    const stays = async (isThere: boolean) => fs.readdirSync(scratch).length > 0 === isThere || null
    await until('the folder is there', () => stays(true))
    child.kill('SIGKILL')
    await once(child, 'exit')
    await until('the folder is gone', () => stays(false))
  })
})

/** The bytes of a message, as if a later version of the program had written it. */
function laterVersion(good: Uint8Array): Buffer {
  const bytes = Buffer.from(good)
  bytes.writeUInt32LE(JOURNAL_VERSION + 1, SEGMENT.version)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, SEGMENT.crc)), SEGMENT.crc)
  return bytes
}
