/**
 * The service's feed is the simulator, or its folder has what that told: its tokens are called as real ones
 * are, and the chain knows none of them.
 */
export const IS_SIMULATED = document.documentElement.dataset.market === 'simulated'
