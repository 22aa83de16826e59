import { StoreError } from '../disk/failure.ts'

/** Nothing is left to start from. */
export function allDamaged(paths: readonly string[]): StoreError {
  return new StoreError(
    'damaged',
    `No snapshot is whole (${paths.join(', ')}) and no journal can be read: put back a copy, or ` +
      'start with an empty DATA_DIR.',
  )
}

/** What is missing may be in snapshots that are there and damaged: then they are named. */
export function namingDamaged(error: unknown, paths: readonly string[]): unknown {
  if (!(error instanceof StoreError) || error.code !== 'missing' || paths.length === 0) return error
  const which =
    paths.length === 1
      ? `The snapshot ${paths[0]} is damaged`
      : `These snapshots are damaged: ${paths.join(', ')}`
  return new StoreError('missing', `${which}. ${error.message}`)
}
