import { expect } from 'vitest'
import { Random } from '../../src/base/random.ts'
import { EventLines } from '../crash/event-lines.ts'
import { figuresOf } from '../crash/http.ts'
import { type Program, until } from './program.ts'
import { isReady, readinessOf, type Sequencer, type StreamPrograms } from './stream-programs.ts'

const SWAPS_PER_LOT = 200

/** A sequencer that is told its events by this test, and a replica. */
export class Fed {
  readonly programs: StreamPrograms
  readonly sequencer: Sequencer
  readonly replica: Program
  /** Of every swap that was told, in order. */
  readonly signatures: string[] = []
  readonly #lines: EventLines

  private constructor(programs: StreamPrograms, sequencer: Sequencer, replica: Program) {
    this.programs = programs
    this.sequencer = sequencer
    this.replica = replica
    this.#lines = new EventLines('Log', new Random(1), 1)
    this.#tell(this.#lines.opening())
  }

  static async start(programs: StreamPrograms): Promise<Fed> {
    const sequencer = await programs.sequencer({ FEED: 'stdin' })
    await sequencer.seen(/"msg":"feed started"/)
    const fed = new Fed(programs, sequencer, await programs.replica())
    await isReady(fed.replica.url)
    fed.tell(SWAPS_PER_LOT)
    await fed.isStored()
    return fed
  }

  tell(swaps: number): void {
    this.#tell(this.#lines.more(swaps))
  }

  /** Resolves once the sequencer is not ready and says so; events come meanwhile. */
  async isRefused(reason: RegExp): Promise<void> {
    await until(`it says ${reason}`, async () => {
      this.tell(SWAPS_PER_LOT)
      const found = await readinessOf(this.sequencer.url)
      return found.status === 503 && reason.test(found.reason) ? true : null
    })
  }

  /** Resolves once the replica has every swap. */
  async isStored(): Promise<void> {
    await isReady(this.sequencer.url)
    await until('the replica has all', async () =>
      (await figuresOf(this.replica.url)).swaps === this.signatures.length ? true : null,
    )
  }

  /** Each swap is in the stream once, in the order in which it was told; there was one term. */
  async check(): Promise<void> {
    await this.isStored()
    const { figures } = await readinessOf(this.sequencer.url)
    expect(figures.get('sequencer_terms_total')).toBe(1)
    const stored = await this.programs.stored()
    expect(stored.swaps.map(({ signature }) => signature)).toEqual(this.signatures)
  }

  #tell(text: string): void {
    this.sequencer.child.stdin?.write(text)
    for (const line of text.split('\n')) {
      const { signature } =
        /"type":"swap".*"signature":"(?<signature>[^"]+)"/.exec(line)?.groups ?? {}
      if (signature !== undefined) this.signatures.push(signature)
    }
  }
}
