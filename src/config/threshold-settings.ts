import { THRESHOLDS, type Thresholds } from '../base/thresholds.ts'
import { ConfigError } from './config-error.ts'
import { decimal, integer } from './setting-values.ts'

const LAMPORTS_PER_SOL = 1e9

/** The settings as texts where none is given: the contract's own. */
export const THRESHOLD_DEFAULTS = {
  COMPLETING_PERCENT: String(THRESHOLDS.completingPercent),
  SNIPER_SLOTS: String(THRESHOLDS.sniperSlots),
  SNIPER_SECONDS: String(THRESHOLDS.sniperSeconds),
  BUNDLE_SLOTS: String(THRESHOLDS.bundleSlots),
  BUNDLE_SOL: String(THRESHOLDS.bundleLamports / LAMPORTS_PER_SOL),
  FRESH_SECONDS: String(THRESHOLDS.freshSeconds),
  FRESH_TRADES: String(THRESHOLDS.freshTrades),
  PRO_TRADES: String(THRESHOLDS.proTrades),
  PRO_MINTS: String(THRESHOLDS.proMints),
  SOLD_ALL_TOKENS: String(THRESHOLDS.soldAllWhole),
  MINT_SUFFIX: THRESHOLDS.mintSuffix,
}

const MOST_SLOTS = 1_000_000
const MOST_SECONDS = 1_000_000_000
const MOST_COUNTED = 1_000_000_000
const MOST_WHOLE = 1_000_000

/** @throws ConfigError on a bad value */
export function readThresholds(settings: Readonly<Record<string, string>>): Thresholds {
  const whole = (name: keyof typeof THRESHOLD_DEFAULTS, max: number) =>
    integer(name, settings[name], 0, max)
  return {
    completingPercent: whole('COMPLETING_PERCENT', 100),
    sniperSlots: whole('SNIPER_SLOTS', MOST_SLOTS),
    sniperSeconds: whole('SNIPER_SECONDS', MOST_SECONDS),
    bundleSlots: whole('BUNDLE_SLOTS', MOST_SLOTS),
    bundleLamports: Math.round(
      decimal('BUNDLE_SOL', settings.BUNDLE_SOL, MOST_WHOLE) * LAMPORTS_PER_SOL,
    ),
    freshSeconds: whole('FRESH_SECONDS', MOST_SECONDS),
    freshTrades: whole('FRESH_TRADES', MOST_COUNTED),
    proTrades: whole('PRO_TRADES', MOST_COUNTED),
    proMints: whole('PRO_MINTS', MOST_COUNTED),
    soldAllWhole: decimal('SOLD_ALL_TOKENS', settings.SOLD_ALL_TOKENS, MOST_WHOLE),
    mintSuffix: mintSuffix(settings.MINT_SUFFIX),
  }
}

function mintSuffix(text: string): string {
  if (/^[1-9A-HJ-NP-Za-km-z]{1,44}$/.test(text)) return text
  throw new ConfigError(`MINT_SUFFIX is "${text}"; it must be 1 to 44 characters of base58.`)
}
