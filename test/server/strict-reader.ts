import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** Node's own, which keeps to the letter of the standard: any answer but a 200 ends it for good. */
const READER = `
const source = new EventSource(process.argv[1])
source.onopen = () => console.log('open')
source.onmessage = ({ lastEventId }) => console.log('message ' + lastEventId)
// Between two attempts nothing of it keeps the process.
setInterval(() => {}, 1_000)
source.onerror = () => console.log(source.readyState === EventSource.CLOSED ? 'ended' : 'error')
`

export interface StrictReader {
  /** What happened next: `open`, `message <id>`, `error` and it comes back, `ended` for good. */
  next(): Promise<string>
  stop(): void
}

/** Follows a stream of server-sent events in a process of its own. */
export function strictReader(url: string): StrictReader {
  const flags = ['--experimental-eventsource', '--disable-warning=UNDICI-ES']
  const child: ChildProcess = spawn(process.execPath, [...flags, '-e', READER, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.stdout === null) throw new Error('a pipe was asked for')
  const lines = createInterface({ input: child.stdout })
  const told: string[] = []
  lines.on('line', (line) => told.push(line))
  let isGone = false
  const gone = once(child, 'close').then(() => {
    isGone = true
  })
  return {
    async next() {
      while (told.length === 0) {
        if (isGone) throw new Error('the reader is gone')
        await Promise.race([once(lines, 'line'), gone])
      }
      return told.shift() ?? ''
    },
    stop: () => void child.kill('SIGKILL'),
  }
}
