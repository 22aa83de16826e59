import { loadSync, type MethodDefinition } from '@grpc/proto-loader'
import { ASSETS, programFile } from '../../base/program-files.ts'

export type GeyserMethod = MethodDefinition<object, object>

/** Slots, lamports and indexes are far below 2^53; amounts of tokens are texts. */
const definition = loadSync(programFile(ASSETS.geyser), {
  longs: Number,
  defaults: false,
  keepCase: false,
})
const service = definition['geyser.Geyser']

/** The two methods of the service that are used: paths, and how messages become bytes. */
export const SUBSCRIBE = method('Subscribe')
export const SUBSCRIBE_REPLAY_INFO = method('SubscribeReplayInfo')

function method(name: string): GeyserMethod {
  const found = Object.entries(service).find(([key]) => key === name)?.[1]
  if (found === undefined) throw new Error(`geyser.proto has no method ${name}`)
  return found
}
