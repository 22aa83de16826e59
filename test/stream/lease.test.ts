import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { LEASE_MS, Lease } from '../../src/stream/lease.ts'
import { natsServer } from '../nats/nats-binary.ts'
import { until } from '../process/program.ts'
import { RealStream } from './real-stream.ts'

const single = natsServer('any')
const LOOK_EVERY_MS = 10

async function leased(real: RealStream, holder: string): Promise<Lease> {
  const stream = await real.connected()
  const lease = new Lease(await stream.leases(), holder)
  onTestFinished(() => lease.release())
  return lease
}

/** Asks until it is had. */
async function taken(lease: Lease): Promise<void> {
  await until('the lease is had', async () =>
    (await lease.take().catch(() => false)) ? true : null,
  )
}

test.skipIf(single === null)(
  'one of two holds the lease, and the other has it at once when it is released',
  async () => {
    const real = await RealStream.start()
    const [a, b] = [await leased(real, 'a'), await leased(real, 'b')]
    expect(await a.take()).toBe(true)
    expect([a.isHeld, a.isOthers]).toEqual([true, false])
    for (const endMs = performance.now() + 2 * LEASE_MS; performance.now() < endMs; ) {
      expect(await b.take()).toBe(false)
      expect([a.isHeld, b.isHeld, b.isOthers]).toEqual([true, false, true])
      await pause(LOOK_EVERY_MS)
    }
    await a.release()
    expect(a.isHeld).toBe(false)
    expect(await b.take()).toBe(true)
    expect([b.isHeld, b.isOthers]).toEqual([true, false])
  },
)

test.skipIf(single === null)(
  'a holder that cannot ask any more knows it before another one has the lease',
  async () => {
    const real = await RealStream.start()
    const [a, b] = [await leased(real, 'a'), await leased(real, 'b')]
    for (const way of ['stopped', 'cut off']) {
      const stream = await real.connected()
      const store = await stream.leases()
      const held = new Lease(store, way)
      onTestFinished(() => held.release())
      await taken(held)
      await stream.close()
      while (!(await b.take())) {
        const wasHeld = held.isHeld
        await pause(LOOK_EVERY_MS)
        if (wasHeld) continue
      }
      expect([held.isHeld, b.isHeld], way).toEqual([false, true])
      await b.release()
    }
    expect(await a.take()).toBe(true)
  },
)

test.skipIf(single === null)(
  'a holder keeps its lease over a server that is killed and back, or has it again',
  async () => {
    const real = await RealStream.start()
    const [a] = [await leased(real, 'a')]
    expect(await a.take()).toBe(true)
    const [server] = real.nats.servers
    await server?.kill()
    await until('it counts as lost', async () => (a.isHeld ? null : true))
    await server?.restart()
    await until('it is held again', async () => (a.isHeld ? true : null))
    const b = await leased(real, 'b')
    expect(await b.take()).toBe(false)
  },
)

test.skipIf(single === null)('a server that stands still never gives two the lease', async () => {
  const real = await RealStream.start()
  const [a, b] = [await leased(real, 'a'), await leased(real, 'b')]
  expect(await a.take()).toBe(true)
  const [server] = real.nats.servers
  server?.pause()
  const asked = b.take().catch(() => false)
  await pause(LEASE_MS)
  expect(a.isHeld).toBe(false)
  server?.resume()
  await asked
  // What stood in the server's queue may have renewed it for nobody, for as long as a lease is.
  await until('one of them holds it', async () => {
    await b.take().catch(() => false)
    expect(a.isHeld && b.isHeld).toBe(false)
    return a.isHeld || b.isHeld ? true : null
  })
  for (const endMs = performance.now() + LEASE_MS; performance.now() < endMs; ) {
    await b.take().catch(() => false)
    expect(a.isHeld && b.isHeld).toBe(false)
    await pause(LOOK_EVERY_MS)
  }
})
