import type { Fault } from './fault.ts'
import { CLIENT_FAULTS } from './faults/client.ts'
import { COMMAND_FAULTS } from './faults/commands.ts'
import { DORMANT_FAULTS } from './faults/dormant.ts'
import { ENGINE_FAULTS } from './faults/engine.ts'
import { FEED_FAULTS } from './faults/feeds.ts'
import { FOLD_FAULTS } from './faults/fold.ts'
import { OCTOBER_FILES_FAULTS } from './faults/october-files.ts'
import { ORDER_FAULTS } from './faults/order.ts'
import { PACKED_FAULTS } from './faults/packed.ts'
import { RING_FAULTS } from './faults/ring.ts'
import { SERVER_FAULTS } from './faults/server.ts'
import { SUM_FAULTS } from './faults/sums.ts'
import { WIRE_FAULTS } from './faults/wire.ts'

/** All faults that are planted, one at a time. */
export const FAULTS: readonly Fault[] = [
  ...FOLD_FAULTS,
  ...ENGINE_FAULTS,
  ...ORDER_FAULTS,
  ...DORMANT_FAULTS,
  ...WIRE_FAULTS,
  ...SERVER_FAULTS,
  ...FEED_FAULTS,
  ...CLIENT_FAULTS,
  ...COMMAND_FAULTS,
  ...OCTOBER_FILES_FAULTS,
  ...PACKED_FAULTS,
  ...RING_FAULTS,
  ...SUM_FAULTS,
]
