import { open, truncate } from 'node:fs/promises'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { basename } from 'node:path'
import { codeOf, messageOf } from '../base/errors.ts'
import { jsonOf } from '../base/json-access.ts'
import { stripControlChars } from '../base/safe-text.ts'
import { StoreError } from '../store/disk/failure.ts'
import { UNFINISHED } from '../store/folder/data-folder.ts'
import { bytesOf, type SeedFile } from './seed-files.ts'
import { type SeedList, seedList } from './seed-list.ts'

/** Longest text of an answer: the list of a year of history has some megabytes. */
const TEXT_BYTES_MAX = 64 << 20
/** What of a refusal's text is repeated. */
const REASON_CHARACTERS_MAX = 200
/** A large state takes minutes; without the new snapshot the one before is taken. */
const SNAPSHOT_MS = 240_000
/** Answers that may be others a moment later. */
const PASSING_STATUSES: readonly number[] = [408, 425, 429]

/**
 * Asks the admin surface of a running instance. Every call throws a StoreError: `seed_unreached` what may pass, `seed`
 * what a person has to mend, `seed_gone` when a file is not there any more.
 */
export class SeedClient {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #silenceMs: number

  /** @param silenceMs how long nothing may come */
  constructor(server: { readonly url: string; readonly token: string | null }, silenceMs: number) {
    this.#base = server.url.replace(/\/$/, '')
    this.#silenceMs = silenceMs
    // What is packed on the way has other bytes than were announced.
    const headers = { 'Accept-Encoding': 'identity' }
    const { token } = server
    this.#headers = token === null ? headers : { ...headers, Authorization: `Bearer ${token}` }
  }

  async list(): Promise<SeedList> {
    const list = jsonOf(await textOf(await this.#ask('GET', '/seed')))
    if (seedList.Check(list)) return list
    throw refusal('answers /seed with a list that this version does not read', SAME_VERSION)
  }

  /** Has a snapshot made, so that the gap behind it is short; one that fails is the log's of that instance. */
  async orderSnapshot(): Promise<void> {
    await textOf(await this.#ask('POST', '/snapshot', {}, SNAPSHOT_MS))
  }

  /**
   * Fetches what is missing of a file, to its unfinished name; `onBytes` takes how many more bytes are there, fewer
   * than none when the file begins anew. What comes beyond its length is not read.
   */
  async load(file: SeedFile, onBytes: (bytes: number) => void): Promise<void> {
    const path = `${file.path}${UNFINISHED}`
    const from = bytesOf(path)
    const tag = `"${file.tag}"`
    const range = from === 0 ? {} : { Range: `bytes=${from}-`, 'If-Range': tag }
    const answer = await this.#ask('GET', `/seed/${basename(file.path)}`, range)
    const { statusCode, headers } = answer
    const isPart = statusCode === 206
    const isOtherPart = isPart && !headers['content-range']?.startsWith(`bytes ${from}-`)
    if (isOtherPart || headers.etag !== tag) {
      answer.destroy()
      throw isOtherPart ? unreached('it answers with another range') : gone(file)
    }
    if (!isPart && from > 0) {
      await truncate(path)
      onBytes(-from)
    }
    let missing = file.bytes - (isPart ? from : 0)
    // By hand in place of a pipeline: nothing may still be written once this has failed and is called again.
    const handle = await open(path, 'a')
    try {
      for await (const part of partsOf(answer)) {
        if (missing === 0) break
        const taken = part.subarray(0, missing)
        await handle.appendFile(taken)
        missing -= taken.length
        onBytes(taken.length)
      }
      if (missing > 0) throw unreached('its answer ended early')
    } finally {
      await handle.close()
    }
  }

  /** The answer of a request, its body still to be read, which ends when nothing comes for so long. */
  async #ask(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    silenceMs = this.#silenceMs,
  ): Promise<IncomingMessage> {
    const url = new URL(this.#base + path)
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = requestOf(url)(url, {
        ...{ method, timeout: silenceMs },
        headers: { ...this.#headers, ...headers },
      })
      let come: IncomingMessage | null = null
      // Not by a signal of fetch: that is forgotten by a garbage collection once the headers are there.
      asked.on('timeout', () =>
        (come ?? asked).destroy(new Error(`nothing came for ${silenceMs / 1000} s`)),
      )
      asked.on('error', (error) => reject(unreached(reasonOf(error))))
      asked.on('response', (response) => {
        come = response
        resolve(response)
      })
      asked.end()
    })
    const status = answer.statusCode ?? 0
    if (status >= 200 && status < 300) return answer
    const text = stripControlChars(await textOf(answer), ' ').trim()
    throw refused(status, path, text.slice(0, REASON_CHARACTERS_MAX))
  }
}

/** An import would load both modules at every start. */
function requestOf({ protocol }: URL): (url: URL, options: RequestOptions) => ClientRequest {
  if (protocol === 'https:') return process.getBuiltinModule('node:https').request
  return process.getBuiltinModule('node:http').request
}

async function* partsOf(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const part of answer) if (part instanceof Uint8Array) yield part
  } catch (error) {
    throw unreached(reasonOf(error))
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of partsOf(answer)) {
    bytes += part.length
    if (bytes > TEXT_BYTES_MAX) throw unreached(`an answer is longer than ${TEXT_BYTES_MAX} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

const SAME_VERSION = 'have the same version of mintfeed on both sides'

/** Of an address only the setting is named: it may hold a key. */
function refusal(what: string, advice: string): StoreError {
  return new StoreError('seed', `The instance of SEED_URL ${what}: ${advice}.`)
}

function unreached(reason: string): StoreError {
  return new StoreError('seed_unreached', reason)
}

function gone({ path }: SeedFile): StoreError {
  return new StoreError('seed_gone', `${basename(path)} is not there any more, or is another one`)
}

function reasonOf(error: unknown): string {
  return codeOf(error) || messageOf(error)
}

function refused(status: number, path: string, text: string): StoreError {
  if (status === 401)
    return refusal('does not take the token (401)', 'set SEED_TOKEN to the ADMIN_TOKEN that it has')
  if (status === 403)
    return refusal(`says: ${text} (403)`, 'give it an ADMIN_TOKEN, and that here as SEED_TOKEN')
  if (status === 404 && path.startsWith('/seed/'))
    return new StoreError('seed_gone', `${basename(path)} is not there any more`)
  if (status === 404 || status === 405)
    return refusal(
      `does not know ${path} (${status})`,
      'SEED_URL must be its ADMIN_PORT, and its version not older than this one',
    )
  if (status === 416) return new StoreError('seed_gone', `${basename(path)} is shorter now`)
  if (status < 400)
    return refusal(`sends elsewhere (${status})`, 'the token is for one address: set that one')
  if (status < 500 && !PASSING_STATUSES.includes(status))
    return refusal(`says: ${text} (${status})`, 'mend that, or set another SEED_URL')
  return unreached(`it answers ${status}: ${text}`)
}
