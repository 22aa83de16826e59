import { messageOf } from '../../base/errors.ts'
import type { Config } from '../../config/config.ts'
import { ConfigError } from '../../config/setting-values.ts'
import { fixedPrice, type PriceSeries, readPriceFile } from '../../feeds/sol-price/price-series.ts'

/**
 * The prices that SOL_PRICE itself gives; null when they come from elsewhere.
 * @throws ConfigError when its file cannot be used
 */
export function givenPrices(setting: Config['solPrice']): PriceSeries | null {
  if (setting.kind === 'fixed') return fixedPrice(setting.usd)
  if (setting.kind !== 'file') return null
  try {
    return readPriceFile(setting.file)
  } catch (error) {
    const reason = messageOf(error)
    throw new ConfigError(`SOL_PRICE names a file that cannot be used: ${reason}.`)
  }
}
