/**
 * Which room (folder of src) may import from which others: each room from itself and from those it names.
 * `x/*` is x and all below it; a path with an ending is that one file. docs/ARCHITECTURE.md says why.
 */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  config: ['base'],
  events: ['base'],

  'engine/memory': ['base'],
  'engine/state': ['engine/memory', 'events', 'base'],
  'engine/order': ['engine/state', 'engine/memory', 'events', 'base'],
  'engine/index': ['engine/state', 'engine/memory', 'events', 'base'],
  'engine/history': ['engine/state', 'engine/memory', 'events', 'base'],
  'engine/fold': [
    'engine/order',
    'engine/index',
    'engine/history',
    'engine/state',
    'engine/memory',
    'events',
    'base',
  ],
  'engine/read': [
    'engine/index',
    'engine/history',
    'engine/state',
    'engine/memory',
    'events',
    'base',
  ],
  engine: ['engine/*', 'events', 'base'],

  protocol: ['base'],
  'protocol/requests': ['protocol', 'events', 'base'],
  'protocol/live': ['protocol', 'protocol/requests', 'base'],
  openapi: ['protocol/*', 'query/tables', 'base'],
  mcp: ['openapi', 'protocol', 'protocol/requests', 'base'],

  'query/tables': ['engine/*', 'protocol', 'events', 'base'],
  'query/search': ['query/tables', 'engine/*', 'protocol', 'events', 'base'],
  'query/json': ['query/tables', 'engine/*', 'protocol', 'events', 'base'],
  'query/traders': ['query/json', 'engine/*', 'protocol', 'events', 'base'],
  'query/alerts': ['query/tables', 'query/json', 'engine/*', 'protocol', 'events', 'base'],
  query: ['query/*', 'engine/*', 'protocol/*', 'events', 'base'],

  'store/disk': ['config', 'base'],
  'store/folder': ['store/disk', 'config', 'base'],
  'store/format': ['events', 'config', 'base'],
  'store/upgrades': ['store/format', 'store/disk', 'engine/*', 'events', 'base'],
  'store/journal': [
    'store/format',
    'store/folder',
    'store/disk',
    'engine/*',
    'events',
    'config',
    'base',
  ],
  'store/snapshot': [
    'store/upgrades',
    'store/format',
    'store/folder',
    'store/disk',
    'engine/*',
    'events',
    'config',
    'base',
  ],
  'store/recovery': [
    'store/snapshot',
    'store/journal',
    'store/format',
    'store/folder',
    'store/disk',
    'engine/*',
    'events',
    'config',
    'base',
  ],
  'store/compaction': [
    'store/recovery',
    'store/snapshot',
    'store/journal',
    'store/format',
    'store/folder',
    'store/disk',
    'engine/*',
    'events',
    'config',
    'base',
  ],

  alerts: [
    'query/alerts',
    'engine',
    'engine/memory',
    'store/disk',
    'feeds',
    'protocol',
    'protocol/requests',
    'base',
  ],
  stream: ['store/journal', 'store/format', 'store/folder', 'store/disk', 'config', 'base'],
  seed: [
    'store/snapshot',
    'store/format',
    'store/folder',
    'store/disk',
    'feeds',
    'engine/state',
    'config',
    'base',
  ],

  'server/metrics': ['base'],
  'server/load': ['protocol', 'config', 'base'],
  'server/sockets': ['server/load', 'config', 'base'],
  'server/http': [
    'server/metrics',
    'server/sockets',
    'server/load',
    'protocol',
    'protocol/requests',
    'config',
    'base',
  ],
  'server/live/connection': [
    'server/http',
    'server/sockets',
    'server/load',
    'protocol/*',
    'config',
    'base',
  ],
  'server/live/hub': [
    'server/live/connection',
    'server/http',
    'server/sockets',
    'server/load',
    'protocol/*',
    'config',
    'base',
  ],
  'server/live': [
    'server/live/hub',
    'server/live/connection',
    'server/http',
    'server/sockets',
    'server/load',
    'protocol/*',
    'config',
    'base',
  ],
  'server/routes': [
    'mcp',
    'server/metrics',
    'server/live/hub',
    'server/http',
    'server/load',
    'protocol',
    'protocol/requests',
    'base',
  ],
  'server/admin': ['server/metrics', 'server/http', 'server/sockets', 'config', 'base'],
  server: ['server/*', 'protocol', 'protocol/requests', 'config', 'base'],

  feeds: ['config', 'base'],
  'feeds/chain/layouts': ['events', 'base'],
  'feeds/chain/transactions': ['feeds/chain/layouts', 'feeds', 'base'],
  'feeds/chain': ['feeds/chain/transactions', 'feeds/chain/layouts', 'feeds', 'events', 'base'],
  'feeds/recorder': ['feeds', 'base'],
  'feeds/supervisor': ['feeds/chain', 'feeds', 'events', 'config', 'base'],
  'feeds/pumpportal': ['feeds/supervisor', 'feeds/chain/*', 'feeds', 'events', 'config', 'base'],
  'feeds/solana': ['feeds/supervisor', 'feeds/chain/*', 'feeds', 'events', 'config', 'base'],
  'feeds/yellowstone': ['feeds/supervisor', 'feeds/chain/*', 'feeds', 'events', 'config', 'base'],
  'feeds/hydration': [
    'feeds/solana',
    'feeds/supervisor',
    'feeds/chain/layouts',
    'feeds',
    'events',
    'base',
  ],
  'feeds/metadata': ['feeds', 'events', 'config', 'base'],
  'feeds/sol-price': ['feeds', 'events', 'config', 'base'],
  'feeds/simulator/world': ['events', 'base'],
  'feeds/simulator': ['feeds/simulator/world', 'events', 'base'],
  'feeds/replay': [
    'feeds/chain/*',
    'feeds/pumpportal',
    'feeds/yellowstone',
    'feeds/supervisor',
    'feeds',
    'events',
    'base',
  ],

  // The columns are the fields of the API, so that a name means the same in both.
  parquet: [
    'query/json',
    'query/tables',
    'query/traders',
    'engine',
    'engine/read',
    'engine/state',
    'protocol',
    'store/disk',
    'store/folder',
    'events',
    'base',
  ],

  figures: ['engine/memory', 'base'],
  commands: [
    'parquet',
    'protocol',
    'mcp',
    'store/*',
    'feeds',
    'feeds/recorder',
    'engine',
    'engine/read',
    'engine/state',
    'events',
    'config',
    'base',
  ],
  'app/feeds': ['feeds/*', 'engine/*', 'events', 'config', 'base'],
  app: [
    'alerts',
    'app/feeds',
    'figures',
    'seed',
    'stream',
    'server/*',
    'openapi',
    'protocol',
    'query',
    'store/*',
    'feeds',
    'engine',
    'engine/fold',
    'engine/state',
    'engine/memory',
    'events',
    'config',
    'base',
  ],
  cli: [
    'alerts',
    'app/feeds',
    'commands',
    'figures',
    'feeds/*',
    'server/load',
    'server/sockets',
    'stream',
    'config',
    'base',
  ],
  main: ['app', 'cli'],
}

/** Files that stand side by side in a folder; more are two rooms. */
export const FOLDER_FILES_MAX = 32

/** The folder of a file below src; `main` is src itself. */
export function roomOf(path: string): string {
  const folder = path.split('/').slice(1, -1).join('/')
  return folder === '' ? 'main' : folder
}

/** May a file of `room` import `target`, a path from the root? */
export function isAllowed(room: string, target: string): boolean {
  const other = roomOf(target)
  const arrows = ARROWS[room] ?? []
  return (
    other === room ||
    arrows.some((arrow) => {
      if (arrow.endsWith('.ts')) return target === `src/${arrow}`
      if (!arrow.endsWith('/*')) return other === arrow
      const top = arrow.slice(0, -2)
      return other === top || other.startsWith(`${top}/`)
    })
  )
}
