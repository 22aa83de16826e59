/**
 * One delivery to a webhook: signed, bounded in time, to an address that may be reached. Names are resolved here for each
 * connection and the connection goes to the address that was checked; redirects are refused, as they lead elsewhere.
 */
import { createHmac } from 'node:crypto'
import type { Agent, IncomingMessage, RequestOptions } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { codeOf, errorOf, messageOf } from '../base/errors.ts'
import { isInNetworks, isPublicAddress, type Network } from '../base/public-address.ts'
import type { AlertRule } from '../protocol/alerts.ts'

export const WEBHOOK_LIMITS = {
  /** From the first question to a name server to the head of the answer. */
  totalMs: 10_000,
  /** Of the answer's body, which nobody reads: past one of these its connection is cut. */
  bodyBytes: 64 * 1024,
  bodyMs: 1_000,
  /** Answers whose bodies are waited for at once; the oldest one is cut for a new one. */
  bodies: 64,
  /** An idle connection stays open for the next delivery. */
  idleMs: 30_000,
} as const

/** Name servers do not know the name (RFC 6761). */
const LOCALHOST = '127.0.0.1'

/** What became of an attempt. */
export type Attempt =
  | { readonly ok: true; readonly status: number }
  | { readonly ok: false; readonly reason: string }

interface WebhookOptions {
  /** What is reached though it is not public; over plain http too. */
  readonly networks: readonly Network[]
  readonly resolve: (host: string) => Promise<readonly string[]>
  readonly nowSeconds: () => number
  readonly totalMs?: number
}

/** `t=<unix>,v1=<hex>`: HMAC-SHA256 of the time, a point and the body. */
export function signatureOf(secret: string, unixSeconds: number, body: string): string {
  const hex = createHmac('sha256', secret).update(`${unixSeconds}.${body}`).digest('hex')
  return `t=${unixSeconds},v1=${hex}`
}

/**
 * Why nothing can ever be sent to a rule's webhook, in one sentence, as far as no name has to be resolved for it; null: it
 * may be. A host is named, since the rest of the URL may hold a key.
 */
export function refusedWebhook(
  { to: { webhook } }: AlertRule,
  networks: readonly Network[],
): string | null {
  if (webhook === null) return null
  const url = new URL(webhook.url)
  const isPlain = url.protocol === 'http:'
  const address = addressIn(url)
  const unnamed = isPlain && networks.length === 0 ? plainRefusal(url.hostname) : null
  const reason = address === null ? unnamed : refusalOf(address, isPlain, networks)
  return reason === null ? null : `to.webhook.url cannot be used: ${reason}.`
}

/** The address that a URL names without a name server; null: it names another host. */
function addressIn({ hostname }: URL): string | null {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) !== 0) return host
  return host === 'localhost' ? LOCALHOST : null
}

function refusalOf(address: string, isPlain: boolean, networks: readonly Network[]): string | null {
  if (isInNetworks(address, networks)) return null
  if (!isPublicAddress(address)) return `${address} is not public: ALERTS_NETWORKS does not name it`
  return isPlain ? plainRefusal(address) : null
}

function plainRefusal(host: string): string {
  return `http is for ALERTS_NETWORKS alone, which does not name ${host}: use https`
}

/** Why a delivery may not go to an address. */
class Refused extends Error {}

export class WebhookSender {
  readonly #options: WebhookOptions
  readonly #agents = new Map<string, Agent>()
  /** Answers that have not ended, the oldest first. */
  readonly #answers = new Set<IncomingMessage>()

  constructor(options: WebhookOptions) {
    this.#options = options
  }

  /** Never throws; `stop` ends it early. */
  async send(
    webhook: { readonly url: string; readonly secret: string },
    body: string,
    stop: AbortSignal,
  ): Promise<Attempt> {
    const url = new URL(webhook.url)
    const limitMs = this.#options.totalMs ?? WEBHOOK_LIMITS.totalMs
    // Not by AbortSignal.timeout: one that nobody else holds may be collected before its time.
    const deadline = new AbortController()
    const end = () => deadline.abort()
    const timer = setTimeout(end, limitMs)
    stop.addEventListener('abort', end)
    const { signal } = deadline
    try {
      this.#checkHost(url)
      const answer = await this.#post(url, webhook.secret, body, signal)
      const { statusCode: status = 0 } = answer
      // The status says all: what follows it may take long.
      this.#discard(answer).catch(() => {})
      if (status >= 200 && status < 300) return { ok: true, status }
      const what =
        status >= 300 && status < 400 ? 'a redirect, which is not followed' : 'it answered'
      return { ok: false, reason: `${what} (${status})` }
    } catch (error) {
      if (error instanceof Refused) return { ok: false, reason: error.message }
      const late = signal.aborted ? `no answer in ${limitMs} ms` : ''
      return { ok: false, reason: late || codeOf(error) || messageOf(error) }
    } finally {
      clearTimeout(timer)
      stop.removeEventListener('abort', end)
    }
  }

  /** Why nothing can ever be sent for a rule; null: it may be. */
  refusalOf(rule: AlertRule): string | null {
    return refusedWebhook(rule, this.#options.networks)
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
    this.#agents.clear()
  }

  #post(url: URL, secret: string, body: string, signal: AbortSignal): Promise<IncomingMessage> {
    const options: RequestOptions = {
      method: 'POST',
      agent: this.#agentOf(url),
      lookup: this.#lookupOf(url.protocol === 'http:'),
      signal,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        'User-Agent': 'mintfeed',
        'X-Mintfeed-Signature': signatureOf(secret, this.#options.nowSeconds(), body),
      },
    }
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const request = moduleOf(url).request(url, options)
    request.on('response', resolve)
    request.on('error', reject)
    // Without this Node ends the request silently: neither answer nor error would come.
    request.on('upgrade', () => request.destroy(new Error('the server changes the protocol')))
    request.end(body)
    return promise
  }

  /** Reads an answer to its end, so that its connection can be used again; one that is long, late or one too many is cut. */
  async #discard(answer: IncomingMessage): Promise<void> {
    const [oldest] = this.#answers
    if (this.#answers.size >= WEBHOOK_LIMITS.bodies) oldest?.destroy()
    this.#answers.add(answer)
    const timer = setTimeout(() => answer.destroy(), WEBHOOK_LIMITS.bodyMs)
    try {
      let bytes = 0
      for await (const part of answer) {
        if (part instanceof Uint8Array) bytes += part.length
        if (bytes > WEBHOOK_LIMITS.bodyBytes) break
      }
    } finally {
      clearTimeout(timer)
      this.#answers.delete(answer)
    }
  }

  /** An address in the URL is not looked up, so it is checked here. */
  #checkHost(url: URL): void {
    const address = addressIn(url)
    if (address !== null) this.#check(address, url.protocol === 'http:')
  }

  #check(address: string, isPlain: boolean): void {
    const refusal = refusalOf(address, isPlain, this.#options.networks)
    if (refusal !== null) throw new Refused(refusal)
  }

  /** Every address of the host has to be allowed. */
  #lookupOf(isPlain: boolean): LookupFunction {
    return (host, { all }, found) => {
      this.#addressesOf(host, isPlain).then(
        (addresses) => {
          const entries = addresses.map((address) => ({ address, family: isIP(address) }))
          const [first] = entries
          if (first === undefined) found(new Error('its host has no address'), '')
          else if (all) found(null, entries)
          else found(null, first.address, first.family)
        },
        (error: unknown) => found(errorOf(error), ''),
      )
    }
  }

  async #addressesOf(host: string, isPlain: boolean): Promise<readonly string[]> {
    const addresses = host === 'localhost' ? [LOCALHOST] : await this.#options.resolve(host)
    for (const address of addresses) this.#check(address, isPlain)
    return addresses
  }

  #agentOf(url: URL): Agent {
    const known = this.#agents.get(url.protocol)
    if (known !== undefined) return known
    const agent = new (moduleOf(url).Agent)({ keepAlive: true, timeout: WEBHOOK_LIMITS.idleMs })
    this.#agents.set(url.protocol, agent)
    return agent
  }
}

/** An import would load both at every start. */
function moduleOf({ protocol }: URL) {
  return process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http')
}
