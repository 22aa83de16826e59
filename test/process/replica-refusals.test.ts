import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { natsServer } from '../nats/nats-binary.ts'
import { newFolder } from '../new-folder.ts'
import { fillWithJournal, partOf } from './data-folders.ts'
import { freePort } from './free-port.ts'
import { runProgram, startProgram } from './program.ts'
import { ServerProcess } from './server-process.ts'
import { becomes, isReady, positionOf, StreamPrograms, TOKEN } from './stream-programs.ts'

const single = natsServer('any')
const EXIT_DATA = 3

test.skipIf(single === null)(
  'a wrong login is told by sequencer and replica, and the password is not',
  async () => {
    const auth = { user: 'mintfeed', password: 'the-right-one' }
    const programs = await StreamPrograms.start({ auth })
    const NATS_URL = programs.nats.urls[0]?.replace('the-right-one', 'a-wrong-one') ?? ''
    const sequencer = await programs.sequencer({ NATS_URL })
    const replica = await programs.launched({ NATS_URL })
    for (const { url, lines } of [sequencer, replica]) {
      await becomes(url, 503, /NATS refuses the login: check NATS_CREDS/)
      expect(lines.join('\n')).not.toMatch(/a-wrong-one|the-right-one/)
    }
  },
)

test.skipIf(single === null)(
  'a nats-server without JetStream is told by sequencer and replica',
  async () => {
    const [port, monitorPort] = [await freePort(), await freePort()]
    const server = new ServerProcess({
      ...{ name: 'plain', path: single ?? '', env: {}, folder: join(newFolder(), 'plain') },
      args: ['-a', '127.0.0.1', '-p', String(port), '-m', String(monitorPort)],
      readyUrl: `http://127.0.0.1:${monitorPort}/healthz`,
    })
    onTestFinished(() => server.stop())
    await server.restart()
    const programs = StreamPrograms.of([`nats://127.0.0.1:${port}`])
    const both = [await programs.sequencer(), await programs.launched({})]
    for (const { url } of both) await becomes(url, 503, /NATS answers without JetStream/)
  },
)

test.skipIf(single === null)(
  'a folder with a market of its own, and a stream of the other market, end the start with a sentence',
  async () => {
    const programs = await StreamPrograms.start()
    const writer = await programs.sequencer()
    const replica = await programs.replica()
    await isReady(replica.url)
    const DATA_DIR = newFolder()
    await fillWithJournal(DATA_DIR, 5)
    const settings = { ...programs.settings, DATA_DIR, PORT: '0' }
    const follower = await runProgram({ ...settings, FEED: 'nats' })
    expect(follower).toMatchObject({ code: EXIT_DATA })
    expect(follower.errors).toMatch(/holds a market of its own and is no copy of a stream/)
    const sequencer = await runProgram({ ...settings, FEED: 'sim' }, ['sequence'])
    expect(sequencer).toMatchObject({ code: EXIT_DATA })
    expect(sequencer.errors).toMatch(/holds a market of its own and the stream another one/)
    const chain = { FEED: 'pumpportal', PUMPPORTAL_URL: 'ws://127.0.0.1:9', SOL_PRICE: 'off' }
    const other = await runProgram({ ...settings, DATA_DIR: newFolder(), ...chain }, ['sequence'])
    expect(other).toMatchObject({ code: EXIT_DATA })
    expect(other.errors).toMatch(/The stream has the simulated market and FEED that of the chain/)
    await writer.end('SIGKILL')
  },
)

test.skipIf(single === null)(
  'a SEED_URL of another stream is told, and a stream that has its beginning is folded from there',
  async () => {
    const programs = await StreamPrograms.start()
    const other = await startProgram({
      ...{ FEED: 'sim', SIM_TOKENS: '5', DATA_DIR: newFolder() },
      ...{ ADMIN_PORT: '0', ADMIN_TOKEN: TOKEN },
    })
    onTestFinished(() => void other.end('SIGKILL'))
    const port = partOf(await other.seen(/"msg":"admin surface"/), 'port')
    const sequencer = await programs.sequencer()
    const { epoch } =
      /"epoch":"(?<epoch>[^"]+)"/.exec(await sequencer.seen(/a new stream is begun/))?.groups ?? {}
    const seed = { SEED_URL: `http://127.0.0.1:${String(port)}`, SEED_TOKEN: TOKEN }
    const replica = await programs.replica(seed)
    await replica.seen(/SEED_URL has another epoch than this stream/)
    await isReady(replica.url)
    expect((await positionOf(replica.url)).epoch).toBe(epoch)
  },
)
