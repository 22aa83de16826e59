import type { Fault } from './fault.ts'
import { AGENT_FAULTS } from './faults/agents.ts'
import { ALERT_FAULTS } from './faults/alerts.ts'
import { CANDIDATE_FAULTS } from './faults/candidates.ts'
import { CLIENT_FAULTS } from './faults/client.ts'
import { COMMAND_FAULTS } from './faults/commands.ts'
import { DORMANT_FAULTS } from './faults/dormant.ts'
import { ENGINE_FAULTS } from './faults/engine.ts'
import { FEED_FAULTS } from './faults/feeds.ts'
import { FOLD_FAULTS } from './faults/fold.ts'
import { HISTORY_FAULTS } from './faults/history.ts'
import { HYDRATION_FAULTS } from './faults/hydration.ts'
import { LEAVING_BAR_FAULTS } from './faults/leaving-bars.ts'
import { NARROW_POSITION_FAULTS } from './faults/narrow-positions.ts'
import { OCTOBER_CHAIN_FAULTS } from './faults/october-chain.ts'
import { OCTOBER_FILES_FAULTS } from './faults/october-files.ts'
import { OCTOBER_FOLD_FAULTS } from './faults/october-fold.ts'
import { OCTOBER_QUOTE_FAULTS } from './faults/october-quotes.ts'
import { ORDER_FAULTS } from './faults/order.ts'
import { PACKED_FAULTS } from './faults/packed.ts'
import { PACKED_ADDRESS_FAULTS } from './faults/packed-addresses.ts'
import { PACKED_SWAP_FAULTS } from './faults/packed-swaps.ts'
import { PAGE_FAULTS } from './faults/page.ts'
import { PARQUET_FAULTS } from './faults/parquet.ts'
import { PRICE_FAULTS } from './faults/prices.ts'
import { RING_FAULTS } from './faults/ring.ts'
import { SEED_FAULTS } from './faults/seed.ts'
import { SERVER_FAULTS } from './faults/server.ts'
import { SIMULATOR_FAULTS } from './faults/simulator.ts'
import { STREAM_FAULTS } from './faults/stream.ts'
import { SUM_FAULTS } from './faults/sums.ts'
import { TEXT_CODE_FAULTS } from './faults/text-codes.ts'
import { TOKEN_ROW_FAULTS } from './faults/token-rows.ts'
import { WALLET_FAULTS } from './faults/wallets.ts'
import { WINDOW_FAULTS } from './faults/windows.ts'
import { WIRE_FAULTS } from './faults/wire.ts'

/** All faults that are planted, one at a time. */
export const FAULTS: readonly Fault[] = [
  ...FOLD_FAULTS,
  ...ENGINE_FAULTS,
  ...ORDER_FAULTS,
  ...LEAVING_BAR_FAULTS,
  ...NARROW_POSITION_FAULTS,
  ...DORMANT_FAULTS,
  ...TOKEN_ROW_FAULTS,
  ...WIRE_FAULTS,
  ...CANDIDATE_FAULTS,
  ...WINDOW_FAULTS,
  ...SERVER_FAULTS,
  ...SEED_FAULTS,
  ...FEED_FAULTS,
  ...CLIENT_FAULTS,
  ...COMMAND_FAULTS,
  ...OCTOBER_CHAIN_FAULTS,
  ...OCTOBER_FILES_FAULTS,
  ...OCTOBER_FOLD_FAULTS,
  ...OCTOBER_QUOTE_FAULTS,
  ...PACKED_FAULTS,
  ...PACKED_ADDRESS_FAULTS,
  ...TEXT_CODE_FAULTS,
  ...PACKED_SWAP_FAULTS,
  ...PAGE_FAULTS,
  ...PARQUET_FAULTS,
  ...RING_FAULTS,
  ...STREAM_FAULTS,
  ...SUM_FAULTS,
  ...SIMULATOR_FAULTS,
  ...HISTORY_FAULTS,
  ...HYDRATION_FAULTS,
  ...AGENT_FAULTS,
  ...PRICE_FAULTS,
  ...WALLET_FAULTS,
  ...ALERT_FAULTS,
]
