/**
 * Writes swaps into a program's standard input at intended times and waits for the trades on a
 * WebSocket of its own: latency from the intended time to the trade's last byte. The parent sends
 * one order: command (as JSON), env (as JSON), mint, rates and times of warming up and of the run.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { type Message, onParent, plainFields, tellParent } from '../child.ts'
import { swapLine } from '../example-line.ts'
import { mainThreadTimes, shareOf } from '../threads.ts'
import { latencyHistogram, recordMs } from './latency.ts'
import { untilMs } from './open-loop.ts'
import { FrameCounter, subscription, upgrade } from './ws-frames.ts'

const READ_BYTES = 1 << 16
const REST_MS = 500
const TRADE_BYTES_MIN = 256
/** The loop's own share of an idle core, from which on a program keeps itself awake. */
const AWAKE_SHARE = 0.6
const IDLE_MS = 300

const shared = Buffer.allocUnsafe(READ_BYTES)

class Relay {
  readonly latency = latencyHistogram()
  readonly lateness = latencyHistogram()
  readonly #program: ReturnType<typeof spawn>
  readonly #awaited: number[] = []
  #messageBytes = 0
  #isCounted = false

  constructor(command: readonly string[], env: Readonly<Record<string, string>>) {
    const stdio: ['pipe', 'ignore', 'pipe'] = ['pipe', 'ignore', 'pipe']
    const all = { ...process.env, ...env }
    this.#program = spawn(process.execPath, [...command], { env: all, stdio })
    process.once('exit', () => this.#program.kill('SIGKILL'))
  }

  get pid(): number {
    return this.#program.pid ?? 0
  }

  get messageBytes(): number {
    return this.#messageBytes
  }

  /** The port in the log line `ready`. */
  async port(): Promise<number> {
    const { stderr } = this.#program
    if (stderr === null) throw new Error('no log')
    for await (const line of createInterface({ input: stderr })) {
      const fields = plainFields(JSON.parse(line))
      if (fields.msg !== 'ready') continue
      stderr.resume()
      return Number(fields.port)
    }
    throw new Error('the program ended before it was ready')
  }

  async listen(port: number, mint: string): Promise<Socket> {
    const frames = new FrameCounter()
    const id = 'latency'
    const opened = Promise.withResolvers<void>()
    let isOpen = false
    const callback = (size: number) => {
      if (isOpen) frames.read(shared, size, (bytes) => this.#heard(bytes))
      else {
        isOpen = true
        socket.write(subscription(mint, id))
        opened.resolve()
      }
      return true
    }
    const socket = connect({ port, host: '127.0.0.1', onread: { buffer: shared, callback } })
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    socket.write(upgrade(id))
    await opened.promise
    await setTimeout(REST_MS)
    return socket
  }

  /** Trades come in the order in which their swaps went in. */
  #heard(bytes: number): void {
    if (bytes < TRADE_BYTES_MIN) return
    this.#messageBytes = bytes
    const intendedMs = this.#awaited.shift()
    if (intendedMs === undefined) throw new Error('a trade came that nobody sent')
    if (this.#isCounted) recordMs(this.latency, performance.now() - intendedMs)
  }

  async send(
    from: number,
    count: number,
    ratePerSecond: number,
    isCounted: boolean,
  ): Promise<void> {
    this.#isCounted = isCounted
    const { stdin } = this.#program
    if (stdin === null) throw new Error('no input')
    const gapMs = 1000 / ratePerSecond
    const startMs = performance.now() + gapMs
    for (let i = 0; i < count; i++) {
      const line = `${swapLine(from + i)}\n`
      const intendedMs = startMs + i * gapMs
      await untilMs(intendedMs)
      if (isCounted) recordMs(this.lateness, performance.now() - intendedMs)
      this.#awaited.push(intendedMs)
      stdin.write(line)
    }
    await setTimeout(REST_MS)
    if (this.#awaited.length > 0) throw new Error(`${this.#awaited.length} trades never came`)
  }

  /** Share of a core that the idle program uses. */
  async idleShare(): Promise<number> {
    const from = mainThreadTimes(this.pid)
    const startMs = performance.now()
    await setTimeout(IDLE_MS)
    return shareOf(from, mainThreadTimes(this.pid), performance.now() - startMs).ran
  }

  /** Resolves once it has gone: only then does its time of the processor count as the benchmark's own. */
  async stop(): Promise<void> {
    const gone = once(this.#program, 'exit')
    this.#program.kill('SIGKILL')
    await gone
  }
}

async function measure(order: Message): Promise<Message> {
  const relay = new Relay(JSON.parse(String(order.command)), JSON.parse(String(order.env)))
  try {
    const socket = await relay.listen(await relay.port(), String(order.mint))
    const rate = Number(order.ratePerSecond)
    const warmRate = Number(order.warmRatePerSecond)
    const warm = Math.ceil((warmRate * Number(order.warmMs)) / 1000)
    await relay.send(0, warm, warmRate, false)
    const idleShare = await relay.idleShare()
    await relay.send(warm, Math.ceil((rate * Number(order.runMs)) / 1000), rate, true)
    socket.destroy()
    const { latency, lateness, messageBytes } = relay
    return {
      ...{ p50Ms: latency.percentile(50) / 1e6, p99Ms: latency.percentile(99) / 1e6 },
      latenessP50Ms: lateness.percentile(50) / 1e6,
      latenessP99Ms: lateness.percentile(99) / 1e6,
      messageBytes,
      isAwake: idleShare > AWAKE_SHARE ? 1 : 0,
    }
  } finally {
    await relay.stop()
  }
}

onParent((order) => void measure(order).then(tellParent))
tellParent({ ready: 1 })
