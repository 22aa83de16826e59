import type { Config } from '../config/config.ts'
import { type AdminSource, type RunningAdmin, startAdmin } from '../server/admin/admin-server.ts'
import type { Log } from '../server/http/exchange.ts'
import type { RunningServer } from '../server/server.ts'

/**
 * Opens the admin surface when one is wanted, else null.
 * @throws Error with one sentence when its port cannot be had
 */
export async function openAdmin(
  { surface, dataDir }: Pick<Config, 'surface' | 'dataDir'>,
  parts: {
    readonly server: RunningServer
    /** Null when ready, else why not, with the paths that the public port leaves out. */
    readonly notReady: () => string | null
    readonly stalls: () => readonly object[]
    /** Takes a snapshot; null without a folder. */
    readonly snapshot: () => Promise<string> | null
    /** Takes the certificate that the files hold now; null: plain HTTP. */
    readonly reloadTls: (() => string) | null
    readonly log: Log
  },
): Promise<RunningAdmin | null> {
  if (surface.admin === null) return null
  const { host, token } = surface.admin
  const source: AdminSource = {
    metrics: () => parts.server.metrics(),
    readiness: () => {
      const { statusCode, fields } = parts.server.readiness()
      return { statusCode, fields: { ...fields, reason: parts.notReady() } }
    },
    stalls: parts.stalls,
    snapshot:
      dataDir === null
        ? null
        : async () => (await parts.snapshot()) ?? 'Not yet: the service is starting.',
    reloadTls: parts.reloadTls,
  }
  const admin = await startAdmin({ ...surface.admin, source, log: parts.log })
  parts.log.info({ host, port: admin.port, token: token !== null }, 'admin surface')
  return admin
}
