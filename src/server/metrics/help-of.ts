import { FEED_HELPS } from './feed-helps.ts'
import { HTTP_HELPS } from './http-helps.ts'
import { LIVE_HELPS } from './live-helps.ts'
import { MARKET_HELPS } from './market-helps.ts'
import { MEMORY_HELPS } from './memory-helps.ts'
import { PROCESS_HELPS } from './process-helps.ts'
import { REFUSED_HELPS, SIDE_HELPS } from './side-helps.ts'
import { SOURCE_HELPS } from './source-helps.ts'
import { STORE_HELPS } from './store-helps.ts'

/** A figure of one live source. */
const OF_A_SOURCE = /^feed_(yellowstone|solana|pumpportal)_(\w+)$/
const OF_A_REFUSAL = /^metadata_refused_(\w+)_total$/

const HELPS = new Map(
  [
    ...[MARKET_HELPS, STORE_HELPS, LIVE_HELPS, HTTP_HELPS],
    ...[PROCESS_HELPS, MEMORY_HELPS, FEED_HELPS, SIDE_HELPS],
  ].flatMap((helps) => Object.entries(helps)),
)

/** What a figure means, in one sentence. Of one without a row there is nothing but its name: a test finds those. */
export function helpOf(figure: string): string {
  const help = HELPS.get(figure)
  if (help !== undefined) return help
  const [, source, ofSource = ''] = OF_A_SOURCE.exec(figure) ?? []
  if (ofSource in SOURCE_HELPS) return `${SOURCE_HELPS[ofSource].slice(0, -1)} (${source}).`
  const [, refusal = ''] = OF_A_REFUSAL.exec(figure) ?? []
  return REFUSED_HELPS[refusal] ?? withoutHelp(figure)
}

/** What is said of a figure that has no sentence. */
export function withoutHelp(figure: string): string {
  return `The figure ${figure} of /readyz.`
}
