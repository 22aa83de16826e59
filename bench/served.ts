import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { NODE_FLAGS } from '../bin/node-flags.js'
import { programPath } from '../bin/program-path.js'
import { type Message, plainFields } from './child.ts'

const HISTORY_PATIENCE_S = 150
const HISTORY_SWAPS_PER_TOKEN = 12
/** What is kept of the program's log. */
const LAST_CHARACTERS = 2_000

export interface ServedMore {
  readonly settings?: Readonly<Record<string, string>>
  /** A module loaded into the program, which answers each message of ours with one (`probed`). */
  readonly probe?: string
}

/** The program itself with a simulated market, on a free port of the loopback interface. */
export class Served {
  readonly port: number
  readonly #process: ChildProcess
  #isStopping = false

  private constructor(child: ChildProcess, port: number) {
    this.#process = child
    this.port = port
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** Resolves when the market's history is folded. */
  static async start(
    tokens: number,
    rate: number,
    dataDir = 'none',
    more: ServedMore = {},
  ): Promise<Served> {
    const env = {
      ...{ HOST: '127.0.0.1', PORT: '0', FEED: 'sim', RATE_LIMIT: 'off', LOG_LEVEL: 'info' },
      ...{ SIM_TOKENS: String(tokens), SIM_RATE: String(rate), DATA_DIR: dataDir },
      ...more.settings,
    }
    const probe = more.probe === undefined ? [] : ['--import', more.probe]
    const child = spawn(process.execPath, [...NODE_FLAGS, ...probe, programPath()], {
      env,
      stdio: ['ignore', 'ignore', 'pipe', probe.length > 0 ? 'ipc' : 'ignore'],
    })
    process.once('exit', () => child.kill('SIGKILL'))
    const served = new Served(child, await portOf(child))
    served.#tellWhenItEnds()
    await served.#untilHistoryIs(tokens * HISTORY_SWAPS_PER_TOKEN)
    return served
  }

  /** What the probe answers. */
  async probed(): Promise<Message> {
    const answered = once(this.#process, 'message')
    this.#process.send({})
    const [message] = await answered
    return plainFields(message)
  }

  /** A program that ends by itself says why in its last lines. */
  #tellWhenItEnds(): void {
    let last = ''
    this.#process.stderr?.on('data', (chunk: Buffer) => {
      last = (last + chunk.toString()).slice(-LAST_CHARACTERS)
    })
    this.#process.once('exit', (code, signal) => {
      if (this.#isStopping) return
      process.stderr.write(`the program ended early (${code ?? signal}):\n${last}\n`)
    })
  }

  async #untilHistoryIs(swaps: number): Promise<void> {
    for (let i = 0; i < HISTORY_PATIENCE_S; i++) {
      const figures = plainFields(JSON.parse((await send(this.port, 'GET', '/readyz')).toString()))
      if (Number(figures.swaps) >= swaps) return
      await setTimeout(1_000)
    }
    throw new Error(`the history took more than ${HISTORY_PATIENCE_S} s`)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGTERM')
    await ended
  }
}

/** The port in the log line `ready`. */
async function portOf(child: ChildProcess): Promise<number> {
  if (child.stderr === null) throw new Error('no log')
  for await (const line of createInterface({ input: child.stderr })) {
    const fields = plainFields(JSON.parse(line))
    if (fields.msg !== 'ready') continue
    child.stderr.resume()
    return Number(fields.port)
  }
  throw new Error('the program ended before it was ready')
}

/** Body of the answer to one request. */
export function send(port: number, method: string, path: string, body = ''): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' }
    const sent = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => resolve(Buffer.concat(chunks)))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
