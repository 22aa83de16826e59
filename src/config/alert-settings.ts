import { type Network, parseNetwork } from '../base/public-address.ts'
import { ConfigError, durationMs } from './setting-values.ts'

/** How alerts are read and sent (docs/alerts.md). */
export interface AlertSetting {
  /** Rules of the user's; null: none but those of the admin surface. */
  readonly file: string | null
  /** Where webhooks may go beside public addresses. */
  readonly networks: readonly Network[]
  /** How long a delivery is tried. */
  readonly retryMs: number
}

export const ALERT_DEFAULTS = {
  ALERTS_FILE: '',
  ALERTS_NETWORKS: '',
  ALERTS_RETRY: '24h',
} as const

/** @throws ConfigError on a bad value */
export function alertSetting(
  settings: Readonly<Record<keyof typeof ALERT_DEFAULTS, string>>,
): AlertSetting {
  return {
    file: settings.ALERTS_FILE || null,
    networks: settings.ALERTS_NETWORKS.split(',').flatMap((part) => {
      const text = part.trim()
      return text === '' ? [] : [networkOf(text)]
    }),
    retryMs: durationMs('ALERTS_RETRY', settings.ALERTS_RETRY),
  }
}

function networkOf(text: string): Network {
  const network = parseNetwork(text)
  if (network !== null) return network
  throw new ConfigError(
    `ALERTS_NETWORKS has "${text}"; it must be of addresses or CIDRs like 10.0.0.0/8, with commas.`,
  )
}
