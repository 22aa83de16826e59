/** A plain HTTP client over real sockets: the path goes out as written, nothing is decoded. */
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { ensure, Failure, show, wait } from './expect.ts'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  text: string
}

export interface Ask {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** Send the body without a Content-Length. */
  chunked?: boolean
  /** Hands back a 429 instead of waiting for its end. */
  impatient?: boolean
}

export interface Http {
  base: URL
  ask: (path: string, ask?: Ask) => Promise<Answer>
  /** GET that must be 200 and JSON. */
  get: (path: string) => Promise<unknown>
  /** POST of a table query that must be 200 and JSON. */
  table: (body: unknown) => Promise<unknown>
}

export const header = (answer: Answer, name: string): string => {
  const value = answer.headers[name.toLowerCase()]
  return Array.isArray(value) ? value.join(', ') : (value ?? '')
}

export function parsed(answer: Answer): unknown {
  try {
    const value: unknown = JSON.parse(answer.text)
    return value
  } catch {
    throw new Failure(`the body is not JSON: ${show(answer.text)}`)
  }
}

const collect = (reply: IncomingMessage): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    reply.on('data', (part: Buffer) => parts.push(part))
    reply.on('error', reject)
    reply.on('end', () => {
      const body = Buffer.concat(parts)
      const { headers } = reply
      resolve({ status: reply.statusCode ?? 0, headers, body, text: body.toString('utf8') })
    })
  })

const patience = 20_000
const agent = new Agent({ keepAlive: true, maxSockets: 4 })

function send(base: URL, path: string, ask: Ask): Promise<Answer> {
  const secure = base.protocol === 'https:'
  const headers: Record<string, string | number> = { ...ask.headers }
  if (ask.body !== undefined && !ask.chunked)
    headers['content-length'] = Buffer.byteLength(ask.body)
  return new Promise((resolve, reject) => {
    const open = secure ? secureRequest : request
    const sent = open({
      host: base.hostname,
      port: base.port || (secure ? 443 : 80),
      path: base.pathname.replace(/\/$/, '') + path,
      method: ask.method ?? 'GET',
      headers,
      ...(secure ? {} : { agent }),
    })
    sent.setTimeout(patience, () =>
      sent.destroy(new Failure(`no answer in ${patience} ms: ${path}`)),
    )
    sent.on('response', (reply) => collect(reply).then(resolve, reject))
    sent.on('error', reject)
    if (ask.chunked) sent.flushHeaders()
    sent.end(ask.body)
  })
}

async function sendPatiently(base: URL, path: string, ask: Ask, note: (line: string) => void) {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(base, path, ask)
    if (answer.status !== 429 || ask.impatient || attempt > 4) return answer
    const seconds = Math.min(120, Number(header(answer, 'retry-after')) || 1)
    note(`  (limited: waiting ${seconds} s for ${path.split('?')[0]})`)
    await wait(seconds * 1000 + 200)
  }
}

function json(answer: Answer, what: string): unknown {
  const got = `answered ${answer.status} ${show(answer.text)}`
  ensure(answer.status === 200, `${got} to ${what.length} characters: ${what.slice(0, 160)}`)
  const type = header(answer, 'content-type')
  ensure(type.startsWith('application/json'), `${what} has the content type ${show(type)}`)
  return parsed(answer)
}

export const tablePath = '/api/v2/meme'

export const jsonHeaders = { 'content-type': 'application/json' }

export function createHttp(url: string, note: (line: string) => void): Http {
  const base = new URL(url)
  const ask = (path: string, how: Ask = {}) => sendPatiently(base, path, how, note)
  return {
    base,
    ask,
    get: async (path) => json(await ask(path), path),
    table: async (body) => {
      const sent = JSON.stringify(body)
      const how = { method: 'POST', headers: jsonHeaders, body: sent }
      return json(await ask(tablePath, how), `POST ${tablePath} ${sent}`)
    },
  }
}
