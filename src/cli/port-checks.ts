import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { Exit } from '../commands/command.ts'
import { bad, type Finding, good } from '../commands/finding.ts'
import { whyNotListening } from '../server/sockets/why-not-listening.ts'

/** Where the service would listen, by the name of its setting. */
export interface ListenedPort {
  readonly name: string
  readonly host: string
  readonly port: number
}

/** Can all be had at once? Two settings may name one port. */
export async function checkPorts(ports: readonly ListenedPort[]): Promise<Finding[]> {
  const taken: { readonly server: Server; readonly of: ListenedPort }[] = []
  const findings: Finding[] = []
  for (const one of ports) {
    const server = createServer()
    const refusal = await refusalOf(server, one)
    if (refusal === null) taken.push({ server, of: one })
    const same = taken.find(({ of }) => of !== one && of.port === one.port)
    findings.push(findingOf(one, refusal, same?.of ?? null))
  }
  for (const { server } of taken) await once(server.close(), 'close')
  return findings
}

/** The error with which a server does not listen; null when it does. */
function refusalOf(
  server: Server,
  { host, port }: ListenedPort,
): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    server.once('error', resolve)
    server.listen({ host, port, exclusive: true }, () => resolve(null))
  })
}

function findingOf(
  { name, host, port }: ListenedPort,
  refusal: NodeJS.ErrnoException | null,
  same: ListenedPort | null,
): Finding {
  if (refusal === null) return good(name, `${host}:${port} is free.`)
  const cannot = `${host}:${port} cannot be had,`
  if (refusal.code !== 'EADDRINUSE')
    return bad(
      name,
      `${cannot} ${whyNotListening(refusal, name)}: give another address or ${name}.`,
    )
  return same === null
    ? bad(name, `${cannot} it is in use: stop what uses it, or give another ${name}.`)
    : bad(name, `${cannot} it is that of ${same.name}: give another ${name}.`, Exit.usage)
}
