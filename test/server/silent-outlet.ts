import type { Outlet } from '../../src/server/live/connection/connection.ts'

/** An outlet that nobody reads and that holds nothing. */
export const SILENT_OUTLET: Outlet = {
  send: () => {},
  getBufferedAmount: () => 0,
  subscribe: () => {},
  unsubscribe: () => {},
  end: () => {},
  close: () => {},
}
