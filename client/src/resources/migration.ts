import { type ObjectOf, objectOf, type Shape } from '../shape.ts'

const MIGRATION = {
  signature: 'text',
  timestamp: 'text',
  bonding_curve: 'text',
  mint: 'text',
  pool_amm: 'text',
} as const

/** A token's move to the AMM pool. */
export type MigrationEvent = ObjectOf<typeof MIGRATION>
export const isMigration: Shape<MigrationEvent> = objectOf(MIGRATION)
