/** The program, which tells its parent when asked what source files have run something since it was asked last. */
import { Session } from 'node:inspector'

interface Ran {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly functionName: string
      readonly ranges: readonly { readonly count: number }[]
    }[]
  }[]
}

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

process.on('message', () => {
  session.post('Profiler.takePreciseCoverage', (_, { result }: Ran) => {
    const passed = result
      .filter(({ url }) => url.includes('/src/'))
      .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    process.send?.(passed.map(({ url }) => url.slice(url.indexOf('/src/') + 1)).sort())
  })
})
/** Timers that come often would have run each time on a machine that takes longer for one swap than they wait. */
const SLOWER = 100
const { setInterval } = globalThis
Object.assign(globalThis, {
  setInterval: (run: () => void, ms: number) => setInterval(run, ms * SLOWER),
})
await import('../../src/main.ts')
