import type { Config } from './base/config.ts'
import type { Feed } from './engine/event-sink.ts'
import { PumpPortalSource } from './feeds/pumpportal/pumpportal-source.ts'
import type { RawFrames } from './feeds/raw-frames.ts'
import type { Source } from './feeds/supervisor/source.ts'
import { Supervisor } from './feeds/supervisor/supervisor.ts'

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

/** The live feeds of FEED for a recording: they begin at now and keep nothing; null: there are none. */
export function recordedFeed(
  config: Config,
  rawFrames: RawFrames,
  report: (who: string, reason: string) => void,
): Feed | null {
  const sources = liveSources(config, rawFrames)
  return sources.length === 0 ? null : new Supervisor({ sources, cursor: null, report })
}
