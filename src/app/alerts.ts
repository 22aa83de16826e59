import { join } from 'node:path'
import { AlertService } from '../alerts/alert-service.ts'
import type { Config } from '../config/config.ts'
import type { Engine } from '../engine/engine.ts'
import type { WalletLabels } from '../protocol/wallet-labels.ts'
import type { AlertHistory } from '../query/engine-streams.ts'
import type { Log } from '../server/http/exchange.ts'

/** Alerts as the settings have them, with the outbox in DATA_DIR. */
export function newAlerts(
  { dataDir, alerts }: Pick<Config, 'dataDir' | 'alerts'>,
  parts: {
    readonly engine: Engine
    readonly labels: WalletLabels
    readonly log: Log
    readonly journalSeq: () => number
    readonly publish: (body: string, n: number) => void
  },
): AlertService {
  const path = dataDir === null ? null : join(dataDir, 'alerts.db')
  return new AlertService({ ...alerts, ...parts, path, nowMs: Date.now })
}

/** The alerts that the live channel can tell again. */
export function historyOf(alerts: AlertService): AlertHistory {
  return {
    liveHead: () => alerts.outbox?.liveHead ?? 0,
    liveSince: (after, most) => alerts.outbox?.liveSince(after, most) ?? [],
    livePage: (query) => alerts.outbox?.livePage(query) ?? { first: 0, alerts: [] },
  }
}
