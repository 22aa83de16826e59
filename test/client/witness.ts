import type { FeedEvent } from '../../src/events/event.ts'
import { addressOf } from '../address-of.ts'
import { created } from '../oracle/fixtures.ts'
import type { Random } from '../oracle/random.ts'
import { swapLate, trades } from '../properties/late-trades.ts'
import type { EngineServer } from '../server/engine-server.ts'

export const MINTS = [addressOf('mint A'), addressOf('mint B'), addressOf('mint C')] as const

/** Endless trades of three mints, some of them late, and a launch now and then. */
export function* market(random: Random): Generator<FeedEvent, never> {
  for (let part = 0; ; part++) {
    const slot = part * 1_000
    const mint = `launched ${part}`
    const signature = `create ${part}`
    const names = { symbol: `L${part}`, tokenProgram: 'program' }
    yield created({ slot: slot + 1_000, mint, signature, ...names })
    for (const event of swapLate(trades(part + 1, 300), random))
      if (event.type === 'swap')
        yield {
          ...event,
          mint: random.pick(MINTS),
          signer: addressOf(event.signer),
          slot: (event.slot ?? 0) + slot,
          signature: `${event.signature} ${part}`,
        }
  }
}

/** What the service told, in its order, by stream: what a reader has to have heard. */
export class Witness {
  readonly #told = new Map<string, string[]>()

  of(stream: string): readonly string[] {
    return this.#told.get(stream) ?? []
  }

  /** Notes an event that a service is about to be fed, and will take. */
  fed(event: FeedEvent): void {
    if (event.type === 'token_created') this.#add('launches', event.mint)
    if (event.type !== 'swap') return
    for (const stream of [event.mint, event.signer])
      this.#add(stream, `${event.signature}/${event.ordinal}`)
  }

  /** Hears a service that has just started; its readers come behind. */
  listen(service: EngineServer): void {
    const { live } = service.wired
    live.onTrade((trade) => {
      const { signature }: { signature: string } = JSON.parse(trade.data(false))
      this.#add(trade.mint, `${signature}/${trade.ordinal}`)
      this.#add(trade.wallet, `${signature}/${trade.ordinal}`)
    })
    live.onAnnounced((channel, message) => {
      if (channel !== 'new_launched_pool') return
      const { mint }: { mint: string } = JSON.parse(message.data(false))
      this.#add('launches', mint)
    })
    live.attach()
  }

  #add(stream: string, name: string): void {
    const told = this.#told.get(stream) ?? []
    this.#told.set(stream, told)
    told.push(name)
  }
}
