import { expect, onTestFinished, test } from 'vitest'
import { natsServer } from '../nats/nats-binary.ts'
import { hasNamespaces, Network } from '../nats/network.ts'
import { until } from '../process/program.ts'
import { RealStream } from './real-stream.ts'

const canCut = natsServer('cluster') !== null && hasNamespaces()
const NAME = 'mintfeed'

test.skipIf(!canCut)(
  'a leader that is cut off from the other servers is not believed, and another server is asked in its place',
  async () => {
    const network = new Network()
    onTestFinished(() => network.close())
    const real = await RealStream.start({ servers: 3, hostOf: (name) => network.host(name) })
    await (await real.connected()).make('test')
    const { name } = await real.nats.leader(NAME)
    const others = real.nats.servers.map((server) => server.name).filter((one) => one !== name)
    const { address } = network.host(name)
    const stream = await until('a connection to the leader', async () => {
      const one = await real.connected()
      return one.server.startsWith(`${address}:`) ? one : null
    })
    expect(await stream.head()).toMatchObject({ last: 0 })
    network.cutFrom(name, others)
    await until('it is told', async () => {
      const told = await stream.head().catch(String)
      return /is cut off from the majority of the servers/.test(String(told)) ? true : null
    })
    // It would give up its place after ten seconds by itself.
    expect(await stream.details()).toMatchObject({ leader: name })
    await until('another one answers', async () => stream.head().catch(() => null))
    expect(stream.server.startsWith(`${address}:`)).toBe(false)
  },
)
