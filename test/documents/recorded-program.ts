import { RECORDING } from '../../packaging/recorded-market.ts'

/** Settings of `make run-recorded`. */
export const RECORDED = { FEED: `replay:${RECORDING}`, SPEED: 'max', DATA_DIR: 'none' }
