import { Session } from 'node:inspector/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const MS_PER_S = 1000

/** Sampled call stacks of so many seconds, as the JSON text that browsers' tools open. */
export async function cpuProfile(seconds: number): Promise<string> {
  return withSession(async (session) => {
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
    await sleep(seconds * MS_PER_S)
    const { profile } = await session.post('Profiler.stop')
    return JSON.stringify(profile)
  })
}

/** Sampled allocations of so many seconds that were still alive at the end. */
export async function heapProfile(seconds: number): Promise<string> {
  return withSession(async (session) => {
    await session.post('HeapProfiler.startSampling')
    await sleep(seconds * MS_PER_S)
    const { profile } = await session.post('HeapProfiler.stopSampling')
    return JSON.stringify(profile)
  })
}

async function withSession(work: (session: Session) => Promise<string>): Promise<string> {
  const session = new Session()
  session.connect()
  try {
    return await work(session)
  } finally {
    session.disconnect()
  }
}
