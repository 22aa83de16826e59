/** The service's feed is the simulator: its tokens are called as real ones are, and the chain knows none of them. */
export const IS_SIMULATED = document.documentElement.dataset.market === 'simulated'
