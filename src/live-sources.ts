import type { Config } from './base/config.ts'
import { PumpPortalSource } from './feeds/pumpportal/pumpportal-source.ts'
import type { RawFrames } from './feeds/raw-frames.ts'
import type { Source } from './feeds/supervisor/source.ts'

/** The live sources that FEED names, each once; their raw frames go to `rawFrames`. */
export function liveSources(
  { feeds, pumpPortal }: Pick<Config, 'feeds' | 'pumpPortal'>,
  rawFrames: RawFrames,
): Source[] {
  const sources: Source[] = []
  if (feeds.some(({ kind }) => kind === 'pumpportal'))
    sources.push(new PumpPortalSource({ ...pumpPortal, rawFrames }))
  return sources
}
