import { status } from '@grpc/grpc-js'
import { WebSocket } from 'ws'
import { codeOf } from '../base/errors.ts'
import { bad, type Finding, good, warn } from '../commands/folder-checks.ts'
import type { Config } from '../config/config.ts'
import { GEYSER_COMMITMENT } from '../feeds/chain/layouts/programs.ts'
import { isRetired } from '../feeds/metadata/fetch-queue.ts'
import { secretsOf } from '../feeds/secrets.ts'
import { RpcClient } from '../feeds/solana/rpc-client.ts'
import { reasonOf as shown } from '../feeds/supervisor/source.ts'
import { REAL_TIMERS } from '../feeds/timers.ts'
import { GeyserClient } from '../feeds/yellowstone/geyser-client.ts'

/** How long one server may take to answer. */
const ANSWER_MS = 5000
/** Refused credentials: another address or key is needed, and waiting does not help. */
const REFUSED = /\b(401|402|403)\b|unauthenticated|permission denied|forbidden|unauthorized/i

/** The text "hello" and a line end, as the content id itself: no gateway has to look for it. */
const HELLO_CONTENT = 'bafkqabtimvwgy3yk'
const NAME_ANOTHER = 'name another in IPFS_GATEWAYS.'

/**
 * Asks the server of each live feed of FEED, and each IPFS gateway if METADATA is on, one question with the configured
 * credentials, all at once and for ANSWER_MS at most. Findings name hosts only: addresses may hold keys, and so may
 * answers, whose keys are cut out as in the log of the service.
 */
export async function checkLiveFeeds(
  config: Pick<Config, 'feeds' | 'pumpPortal' | 'yellowstone' | 'solana' | 'metadata'>,
): Promise<Finding[]> {
  const { feeds, pumpPortal, yellowstone, solana } = config
  const checks: Promise<Finding>[] = []
  if (solana !== null) {
    const { rpcUrl, wsUrl } = solana
    const secrets = [...secretsOf(rpcUrl), ...secretsOf(wsUrl)]
    const question = { jsonrpc: '2.0', id: 1, method: 'slotSubscribe' }
    const [rpc, socket] = [askRpc(rpcUrl), askSocket(wsUrl, question)]
    checks.push(finding('solana rpc', rpcUrl, 'SOLANA_RPC_URL', secrets, rpc))
    checks.push(finding('solana ws', wsUrl, 'SOLANA_WS_URL', secrets, socket))
  }
  if (yellowstone !== null) {
    const { url, token } = yellowstone
    const names = 'YELLOWSTONE_URL and YELLOWSTONE_TOKEN'
    const asked = askYellowstone(yellowstone)
    checks.push(finding('yellowstone', url, names, secretsOf(url, token), asked))
  }
  if (feeds.some(({ kind }) => kind === 'pumpportal')) {
    const { url, key } = pumpPortal
    const address = new URL(url)
    if (key !== null) address.searchParams.set('api-key', key)
    const names = 'PUMPPORTAL_URL and PUMPPORTAL_KEY'
    const asked = askSocket(address.href, { method: 'subscribeNewToken' })
    checks.push(finding('pumpportal', url, names, secretsOf(address.href), asked))
  }
  if (config.metadata !== null) checks.push(...config.metadata.gateways.map(checkGateway))
  return Promise.all(checks)
}

/** Asks a gateway for a content id that is its own content, so that the answer depends on the gateway alone. */
async function checkGateway(gateway: string): Promise<Finding> {
  const { host } = new URL(gateway)
  const about = 'ipfs gateway'
  if (isRetired(host)) return warn(about, `${host} was switched off: ${NAME_ANOTHER}`)
  let answer: Response
  try {
    const signal = AbortSignal.timeout(ANSWER_MS)
    answer = await fetch(`${gateway}/ipfs/${HELLO_CONTENT}`, { redirect: 'manual', signal })
    await answer.body?.cancel()
  } catch (error) {
    return warn(about, `${host} does not answer (${reasonOf(error)}): ${NAME_ANOTHER}`)
  }
  const { status: code, headers } = answer
  if (headers.has('sunset'))
    return warn(about, `${host} answers ${code}, and that it is switched off: ${NAME_ANOTHER}`)
  if (code === 429) return warn(about, `${host} answers ${code}: it is asked too often from here.`)
  if (code >= 500 || code === 410) return warn(about, `${host} answers ${code}: ${NAME_ANOTHER}`)
  // Some serve what was pinned with them and nothing else.
  if (code >= 400) return good(about, `${host} answers ${code}: it serves content of its own only.`)
  return good(about, `${host} answers ${code}.`)
}

/**
 * The finding from an answer: null is a good one, else the reason why there was none.
 * @param names the settings that name the server and its credentials
 * @param secrets texts that no finding may show
 */
async function finding(
  about: string,
  url: string,
  names: string,
  secrets: readonly string[],
  answer: Promise<string | null>,
): Promise<Finding> {
  const { host } = new URL(url)
  const complaint = await answer
  if (complaint === null) return good(about, `${host} answers.`)
  const reason = shown(complaint, secrets)
  if (REFUSED.test(complaint))
    return bad(about, `${host} refuses what is set (${reason}): check ${names}.`)
  if (/\b429\b|too many|resource_exhausted/i.test(complaint))
    return warn(about, `${host} says there are too many requests: see what the plan allows.`)
  return bad(about, `${host} does not answer (${reason}): check ${names} and the network.`)
}

async function askRpc(url: string): Promise<string | null> {
  const client = new RpcClient(url, REAL_TIMERS)
  try {
    await client.ask('getSlot', [], AbortSignal.timeout(ANSWER_MS))
    return null
  } catch (error) {
    // The client repeats the question after a 429, until the time is over.
    return client.counters.rateLimited > 0 ? 'too many requests' : reasonOf(error)
  }
}

/** Sends one message; the first answer decides. */
function askSocket(url: string, question: object): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { handshakeTimeout: ANSWER_MS, maxPayload: 2 ** 20 })
    const done = (reason: string | null) => {
      clearTimeout(timer)
      resolve(reason)
      socket.terminate()
    }
    const timer = setTimeout(() => done(tooLate()), ANSWER_MS)
    socket.on('open', () => socket.send(JSON.stringify(question)))
    socket.on('message', (data: Buffer) => done(complaintIn(String(data))))
    socket.on('close', (code) => done(`it closed with ${code}`))
    socket.on('error', (error) => done(reasonOf(error)))
  })
}

function askYellowstone(peer: NonNullable<Config['yellowstone']>): Promise<string | null> {
  return new Promise((resolve) => {
    const client = new GeyserClient(peer)
    const stream = client.subscribe({ slots: { slots: {} }, commitment: GEYSER_COMMITMENT })
    const done = (reason: string | null) => {
      clearTimeout(timer)
      resolve(reason)
      stream.cancel()
      client.close()
    }
    const timer = setTimeout(() => done(tooLate()), ANSWER_MS)
    stream.on('data', () => done(null))
    stream.on('end', () => done('it ended the stream'))
    stream.on('error', (error: Error & { code?: number }) => done(grpcReason(error)))
  })
}

function grpcReason({ code, message }: Error & { code?: number }): string {
  if (code === status.UNAUTHENTICATED) return 'unauthenticated'
  if (code === status.PERMISSION_DENIED) return 'permission denied'
  return message
}

/** The whole answer if it is an error of JSON-RPC or PumpPortal; half of a key could not be cut out. */
function complaintIn(text: string): string | null {
  return /"errors?"\s*:|only available when connecting/.test(text) ? text : null
}

function tooLate(): string {
  return `nothing came within ${ANSWER_MS / 1000} s`
}

/** Prefers the cause of a failed fetch: its message is the same for all failures. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return tooLate()
  return codeOf(error.cause) || error.message
}
