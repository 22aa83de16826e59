import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../new-folder.ts'
import { ROOT } from '../tidy/source-files.ts'
import { freePort } from './free-port.ts'
import { launch, startProgram, until } from './program.ts'

/** A stream of launches as a browser's EventSource reads it: any answer but a 200 would end it for good. */
class Reader {
  /** Of the messages, in the order in which they came. */
  readonly ids: string[] = []
  status = 0
  readonly #abort = new AbortController()

  async read(url: string): Promise<void> {
    const headers = { 'last-event-id': this.ids.at(-1) ?? '' }
    const init = { signal: this.#abort.signal, ...(this.ids.length > 0 && { headers }) }
    const response = await fetch(`${url}/api/v2/stream?channel=new_launched_pool`, init)
    this.status = response.status
    let text = ''
    for await (const bytes of response.body ?? []) {
      text += Buffer.from(bytes).toString()
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('id: ')) this.ids.push(line.slice(4))
    }
  }

  close(): void {
    this.#abort.abort()
  }
}

test('a stream follows every launch over a kill, and is open while the next start recovers', async () => {
  const settings = {
    ...{ PORT: String(await freePort()), DATA_DIR: newFolder(), SNAPSHOT_EVERY: '1h' },
    ...{ FEED: 'sim', SIM_TOKENS: '20', SIM_RATE: '200', LOG_LEVEL: 'info' },
  }
  const first = await startProgram(settings)
  onTestFinished(() => void first.end('SIGKILL'))
  const { url } = first
  const reader = new Reader()
  onTestFinished(() => reader.close())
  const read = () => reader.read(url).catch(() => {})
  void read()
  await until('launches', async () => (reader.ids.length >= 3 ? true : null))
  await first.end('SIGKILL')

  const held = join(ROOT, 'test/process/held-program.ts')
  const second = launch(settings, [], ROOT, held)
  onTestFinished(() => void second.end('SIGKILL'))
  await until('an open port', () => fetch(`${url}/healthz`).catch(() => null))
  expect((await fetch(`${url}/readyz`)).status).toBe(503)
  reader.status = 0
  void read()
  await until('an answer', async () => (reader.status === 0 ? null : true))
  expect(reader.status).toBe(200)
  const before = reader.ids.length
  second.child.stdin?.write('\n')
  await until('more launches', async () => (reader.ids.length >= before + 3 ? true : null))
  const [epoch, start] = reader.ids[0].split('/')
  expect(reader.ids).toEqual(reader.ids.map((_, index) => `${epoch}/${Number(start) + index}`))
})
