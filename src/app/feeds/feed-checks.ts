import { type Config, ConfigError } from '../../config/config.ts'
import { checkInputFile } from '../../feeds/lines/input-file.ts'
import { givenPrices } from './sol-price-setting.ts'

/**
 * Checks what FEED and SOL_PRICE name, without the modules of any feed: a start waits for those
 * only once the API answers.
 * @throws ConfigError when a file cannot be read
 */
export function checkFeeds(config: Pick<Config, 'feeds' | 'solPrice'>): void {
  for (const feed of config.feeds) {
    const reason = feed.kind === 'replay' ? checkInputFile(feed.file) : null
    if (reason !== null) throw new ConfigError(`FEED has a replay: ${reason}.`)
  }
  givenPrices(config.solPrice)
}
