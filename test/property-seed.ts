import fc from 'fast-check'

/** Fixed, so that a run says the same twice; PROPERTY_SEED=<n> looks elsewhere. */
const seed = Number(process.env.PROPERTY_SEED ?? 20_261_121)

// A length that a test names is reached: without this a list of at most 4,000 has some ten.
fc.configureGlobal({ seed, defaultSizeToMaxWhenMaxSpecified: true })
