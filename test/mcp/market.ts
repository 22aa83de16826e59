import { recordedLines } from '../../packaging/recorded-market.ts'
import { jsonOf, textAt } from '../../src/base/json-access.ts'
import { parseEventLine } from '../../src/events/event-lines.ts'
import type { ServerOptions } from '../../src/server/server.ts'
import { EngineServer } from '../server/engine-server.ts'

/** A service with the simulated market of the package in it, which agents may call. */
export async function marketServer(changes: Partial<ServerOptions> = {}): Promise<EngineServer> {
  const service = await EngineServer.start('e1', undefined, { hasMcp: true, ...changes })
  service.feed(recordedLines().map(eventOf))
  return service
}

function eventOf(line: string) {
  const event = parseEventLine(line)
  if (!('type' in event)) throw new Error(line)
  return event
}

/** Mints of the simulated market and wallets that traded in it, each once, in the order of their first line. */
export function named(key: 'mint' | 'signer'): readonly string[] {
  const found = recordedLines().flatMap((line) => textAt(jsonOf(line), key) ?? [])
  return [...new Set(found)]
}
