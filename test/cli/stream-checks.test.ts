import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { doctor } from '../../src/cli/doctor.ts'
import { checkStream } from '../../src/cli/stream-checks.ts'
import { readConfig } from '../../src/config/config.ts'
import { NatsStream } from '../../src/stream/nats-stream.ts'
import { into } from '../commands/folders.ts'
import { natsServer } from '../nats/nats-binary.ts'
import { type NatsOptions, startNats } from '../nats/nats-servers.ts'
import { newFolder } from '../new-folder.ts'

const any = natsServer('any')
const cluster = natsServer('cluster')
const HOUR_MS = 3_600_000

async function started(servers: 1 | 3, path: string | null, auth?: NatsOptions['auth']) {
  const given = { servers, sync: 'default', folder: newFolder(), path: path ?? '' } as const
  const nats = await startNats({ ...given, ...(auth && { auth }) })
  onTestFinished(() => nats.stopAll())
  return nats
}

function settingOf(environment: Record<string, string>) {
  const { stream } = readConfig([], { FEED: 'nats', ...environment })
  if (stream === null) throw new Error('FEED=nats has a stream')
  return stream
}

/** What is found of the servers of NATS_URL, a line each. */
async function found(environment: Record<string, string>, isSequencer = false): Promise<string[]> {
  const findings = await checkStream(settingOf(environment), isSequencer)
  return findings.map(({ level, about, says }) => `${level} ${about}: ${says}`)
}

async function made(environment: Record<string, string>, messages = 0): Promise<void> {
  const stream = await NatsStream.connect(settingOf(environment), 'test')
  await stream.make('mintfeed')
  for (let last = 0; last < messages; last++) await stream.publish(new Uint8Array(8), last)
  await stream.close()
}

describe.skipIf(cluster === null)('of servers of 2.10 or newer', () => {
  test('a server, its clock and its stream are good, or it is said what to do', async () => {
    const auth = { user: 'mintfeed', password: 'a "good" one' }
    const nats = await started(1, cluster, auth)
    const [NATS_URL = ''] = nats.urls
    const environment = { NATS_URL }
    expect(await found(environment)).toEqual([
      expect.stringMatching(
        /^good nats: 127\.0\.0\.1:\d+ is nats-server 2\.\d+\.\d+, has JetStream/,
      ),
      expect.stringMatching(/^good nats clocks: They agree: /),
      'warn stream: mintfeed is not there yet: start a sequencer, which makes it.',
    ])
    expect((await found(environment, true)).at(-1)).toMatch(
      /^good stream: .* this sequencer makes it/,
    )
    await made(environment, 3)
    expect((await found(environment)).at(-1)).toMatch(
      /^good stream: mintfeed has messages 1 to 3, \d+ bytes on each of 1 servers\.$/,
    )
    const others = { ...environment, NATS_REPLICAS: '3', NATS_KEEP: '1h' }
    expect((await found(others, true)).slice(-2)).toEqual([
      'warn stream: mintfeed is on 1 servers and NATS_REPLICAS is 3: nats stream edit mintfeed --replicas 3.',
      'warn stream: mintfeed keeps messages for 259,200 s and NATS_KEEP is 3,600 s: nats stream edit mintfeed --max-age 3600s.',
    ])
    expect(await found({ NATS_URL: NATS_URL.replace('good', 'bad') })).toEqual([
      expect.stringMatching(
        /^bad nats: 127\.0\.0\.1:\d+: NATS refuses the login: check NATS_CREDS/,
      ),
    ])
    // The clock of this machine stands for one that is wrong.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 73 * HOUR_MS })
    const ahead = await found(environment).finally(() => vi.useRealTimers())
    expect(ahead[1]).toMatch(/^warn nats clocks: this machine is 262,[78]\d\d,\d+ ms ahead of 127/)
    expect(ahead[2]).toMatch(/^warn stream: mintfeed still has message 1 of .* past its age/)
  })

  test('of three servers one may be away; without two the stream has no leader', async () => {
    const nats = await started(3, cluster)
    const environment = { NATS_URL: nats.urls.join(','), NATS_REPLICAS: '3' }
    await made(environment, 1)
    // On a busy machine the third server has the message some seconds after a majority.
    await vi.waitFor(
      async () => {
        const good = await found(environment, true)
        expect(good.filter((line) => !line.startsWith('good'))).toEqual([])
        expect(good.at(-1)).toContain('on each of 3 servers')
      },
      { timeout: 60_000, interval: 500 },
    )
    const leader = await nats.leader('mintfeed')
    const [other, third] = nats.servers.filter((server) => server !== leader)
    await other?.kill()
    const without = await found(environment, true)
    expect(without[0]).toMatch(/^warn nats: 127\.0\.0\.1:\d+: no server of NATS_URL can be reached/)
    expect(without.filter((line) => line.startsWith('bad'))).toEqual([])
    await third?.kill()
    await vi.waitFor(
      async () => expect((await found(environment)).at(-1)).toMatch(/^bad stream: /),
      { timeout: 60_000, interval: 500 },
    )
  })

  test('servers that are no cluster are bad', async () => {
    const [one, two] = [await started(1, cluster), await started(1, cluster)]
    const lines = await found({ NATS_URL: [...one.urls, ...two.urls].join(',') })
    expect(lines).toContainEqual(expect.stringMatching(/^bad nats: .* no cluster of one name/))
  })
})

test.skipIf(any === null || any === cluster)(
  'an old server is a warning, of a cluster it is bad',
  async () => {
    const nats = await started(1, any)
    const [NATS_URL = ''] = nats.urls
    expect((await found({ NATS_URL }))[0]).toMatch(
      /^warn nats: .* nats-server 2\.9\.\d+, which says/,
    )
    expect((await found({ NATS_URL, NATS_REPLICAS: '3' }, true))[0]).toMatch(
      /^bad nats: .* whose clusters lose data: install 2\.10 or newer/,
    )
  },
)

test('the doctor of a replica and of a sequencer ask the servers', async () => {
  for (const [args, FEED] of [
    [['--sequence'], 'sim'],
    [[], 'nats'],
  ] as const) {
    const output: string[] = []
    const environment = { FEED, NATS_URL: 'nats://127.0.0.1:1', DATA_DIR: newFolder(), PORT: '0' }
    const terminal = { stdin: process.stdin, stdout: into(output), stderr: into([]), environment }
    expect(await doctor(args, terminal)).toBe(1)
    expect(output.join('')).toMatch(/^bad {3}nats +127\.0\.0\.1:1: no server of NATS_URL can be/m)
    expect(/ PORT /.test(output.join(''))).toBe(FEED === 'nats')
  }
})
