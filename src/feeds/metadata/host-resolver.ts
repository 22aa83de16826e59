import { Resolver } from 'node:dns/promises'

/** All addresses of a host name; rejects or gives none when it has none. */
export type ResolveHost = (host: string) => Promise<readonly string[]>

/** One question to a name server, and how often it is asked again. */
const QUESTION_MS = 2_000
const TRIES = 2

/**
 * Asks the name servers itself, outside of the thread pool that files use: slow servers of others
 * hold nothing up. Knows no hosts file, so a name cannot mean this machine by it.
 * @param servers `address:port` each, instead of the system's
 */
export function dnsResolver(servers: readonly string[] = []): ResolveHost {
  const resolver = new Resolver({ timeout: QUESTION_MS, tries: TRIES })
  if (servers.length > 0) resolver.setServers(servers)
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }
}
