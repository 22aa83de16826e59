import { programFile } from '../base/program-files.ts'
import type { Config } from '../config/config.ts'
import { isSimulatedFeed } from '../config/source-settings.ts'
import { type Dashboard, readDashboard } from '../server/routes/dashboard-routes.ts'
import { isSimulatedFolder } from '../store/folder/market-mark.ts'

/** Where `make build` leaves the page. */
const DASHBOARD_FOLDER = programFile('../web/dist')

/** The page for people, unless it is switched off. */
export function pageOf({
  dashboard,
  feeds,
  dataDir,
}: Pick<Config, 'dashboard' | 'feeds' | 'dataDir'>): { dashboard?: Dashboard | null } {
  if (dashboard === 'off') return {}
  const isFed = feeds.some(isSimulatedFeed)
  const isSimulated = isFed || (dataDir !== null && isSimulatedFolder(dataDir))
  const facts = { hasImages: dashboard === 'images', isSimulated }
  return { dashboard: readDashboard(DASHBOARD_FOLDER, facts) }
}
