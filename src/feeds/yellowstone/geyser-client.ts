import {
  Client,
  type ClientDuplexStream,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import { loadSync, type MethodDefinition } from '@grpc/proto-loader'
import { ASSETS, programFile } from '../../base/program-files.ts'
import type { YellowstoneSetting } from '../../config/source-settings.ts'
import { firstAvailableOf, type GeyserUpdate, updateOf } from './geyser-update.ts'

/** Longest message that is taken: block metas with the rewards of an epoch are the longest. */
const MESSAGE_BYTES_MAX = 64 * 1024 * 1024
/** How long one question may take: less than the silence that ends a connection. */
const QUESTION_MS = 3_000
/** Any slot may be asked for: the server has no question for its first one. */
const ANY_SLOT = 0

/** Slots, lamports and indexes are far below 2^53; amounts of tokens are texts. */
const definition = loadSync(programFile(ASSETS.geyser), {
  longs: Number,
  defaults: false,
  keepCase: false,
})

const service = definition['geyser.Geyser']

export interface GeyserPeer extends YellowstoneSetting {
  /** Certificates to trust instead of the system's, PEM. */
  readonly rootCertificates?: Buffer
  readonly messageBytesMax?: number
}

/** What came: an update, or null for bytes that are none. */
export type GeyserMessage = { readonly update: GeyserUpdate | null; readonly bytes: Uint8Array }

/** One connection to a Yellowstone server; `close` ends it with its streams. */
export class GeyserClient {
  readonly #client: Client
  readonly #metadata = new Metadata()

  constructor(peer: GeyserPeer) {
    const url = new URL(peer.url)
    const isSecure = url.protocol === 'https:'
    const port = url.port === '' ? (isSecure ? '443' : '80') : url.port
    this.#client = new Client(
      `${url.hostname}:${port}`,
      isSecure
        ? credentials.createSsl(peer.rootCertificates ?? null)
        : credentials.createInsecure(),
      {
        'grpc.max_receive_message_length': peer.messageBytesMax ?? MESSAGE_BYTES_MAX,
        'grpc.enable_retries': 0,
        // The supervisor makes connections anew; one in the library's pool would wait by itself.
        'grpc.use_local_subchannel_pool': 1,
      },
    )
    if (peer.token !== '') this.#metadata.set('x-token', peer.token)
  }

  /** A stream of updates; the request is written to it. */
  subscribe(request: object): ClientDuplexStream<object, GeyserMessage> {
    const { path, requestSerialize, responseDeserialize } = SUBSCRIBE
    const read = (bytes: Buffer): GeyserMessage => {
      try {
        return { update: updateOf(responseDeserialize(bytes)), bytes }
      } catch {
        return { update: null, bytes }
      }
    }
    const stream = this.#client.makeBidiStreamRequest(path, requestSerialize, read, this.#metadata)
    stream.write(request)
    return stream
  }

  /**
   * First slot the server can deliver again; null: it delivers none, or is not to be asked. 0 where it does not know
   * the question: whether it honours `from_slot` shows when it is asked with one.
   */
  async firstAvailableSlot(): Promise<number | null> {
    const { path, requestSerialize, responseDeserialize } = SUBSCRIBE_REPLAY_INFO
    const deadline = Date.now() + QUESTION_MS
    return new Promise((resolve, reject) => {
      const answer = (error: ServiceError | null, value?: object) => {
        if (error === null) resolve(firstAvailableOf(value))
        else if (error.code === status.UNIMPLEMENTED) resolve(ANY_SLOT)
        else if (error.code === status.PERMISSION_DENIED) resolve(null)
        else reject(error)
      }
      this.#client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        {},
        this.#metadata,
        { deadline },
        answer,
      )
    })
  }

  close(): void {
    this.#client.close()
  }
}

/** The two methods of the service that are used: paths, and how messages become bytes. */
export const SUBSCRIBE = method('Subscribe')
export const SUBSCRIBE_REPLAY_INFO = method('SubscribeReplayInfo')

function method(name: string): MethodDefinition<object, object> {
  const found = Object.entries(service ?? {}).find(([key]) => key === name)?.[1]
  if (found === undefined) throw new Error(`geyser.proto has no method ${name}`)
  return found
}
