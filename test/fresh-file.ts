import { vi } from 'vitest'
import { restartSwaps } from './oracle/fixtures.ts'
import { restartTrades } from './server/told-events.ts'

// Files share a worker and its modules: each begins as if it was the first.
vi.useRealTimers()
restartSwaps()
restartTrades()
