import { setImmediate as nextTurn } from 'node:timers/promises'
import { Engine } from '../../../src/engine/engine.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { PortalEvents } from '../../../src/feeds/pumpportal/portal-events.ts'
import { PumpPortalSource } from '../../../src/feeds/pumpportal/pumpportal-source.ts'
import { Supervisor } from '../../../src/feeds/supervisor/supervisor.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { CollectingSink } from '../collecting-sink.ts'
import { MockSocketServer } from '../mock-socket-server.ts'
import { VirtualTimers } from '../supervisor/virtual-timers.ts'
import { until } from '../until.ts'
import { withoutGaps } from '../without-gaps.ts'

export const STALL_MS = 20_000

/** A PumpPortal server on this machine and the feed that reads it, on a clock of their own. */
export class PortalRun {
  readonly server: MockSocketServer
  readonly sink = new CollectingSink()
  readonly timers = new VirtualTimers()
  readonly supervisor: Supervisor
  /** What was said of the source. */
  readonly reports: string[] = []
  /** Frames that were sent, with the seconds of their arrival. */
  readonly sent: { readonly text: string; readonly seconds: number }[] = []
  readonly #running: Promise<void>
  #frames = 0

  private constructor(server: MockSocketServer, mints: readonly string[], followsNew: boolean) {
    this.server = server
    const source = new PumpPortalSource({
      url: server.url,
      key: 'secret',
      mints,
      followsNew,
      timers: this.timers,
      stallMs: STALL_MS,
      report: (reason) => this.reports.push(reason),
    })
    this.supervisor = new Supervisor({
      sources: [source],
      cursor: null,
      report: (_, reason) => this.reports.push(reason),
      timers: this.timers,
      random: () => 0,
      backfillSlotsMax: 0,
    })
    // That nothing is known whole of such a source has a test of its own.
    this.#running = this.supervisor.start(withoutGaps(this.sink))
  }

  static async start(mints: readonly string[] = [], followsNew = false): Promise<PortalRun> {
    const run = new PortalRun(await MockSocketServer.listen(), mints, followsNew)
    await run.connected(1)
    return run
  }

  /** Resolves when this many connections were made and the last one has subscribed. */
  async connected(count: number): Promise<void> {
    const { server, timers } = this
    while (server.connections < count) {
      await timers.pass(500)
      await nextTurn()
    }
    const subscriptions = () => server.received.filter((text) => text.includes('NewToken')).length
    await server.until(() => subscriptions() >= count)
  }

  /** Sends a frame that the feed is to read. */
  send(text: string): void {
    this.#frames += 1
    this.sent.push({ text, seconds: Math.floor(this.timers.wallMs() / 1000) })
    this.server.say(text)
  }

  /** Everything sent has been read. */
  async settled(): Promise<void> {
    await until(() => this.figure('frames_total') === this.#frames)
  }

  figure(name: string): number {
    return this.supervisor.figures()[`feed_pumpportal_${name}`]
  }

  async end(): Promise<void> {
    this.supervisor.stop()
    await this.#running
    await this.server.close()
  }
}

/** The state after events, without any feed. */
export function digestOf(events: readonly FeedEvent[]): string {
  const engine = new Engine({ clock: 'event', lateSlots: 32 })
  engine.events(events)
  return stateDigest(engine.parts)
}

/** Events of frames as they stand, decoded without any connection. */
export function eventsOf(sent: PortalRun['sent']): FeedEvent[] {
  const portal = new PortalEvents()
  return sent.flatMap(({ text, seconds }) => {
    try {
      return portal.events(JSON.parse(text), seconds)
    } catch {
      return []
    }
  })
}
