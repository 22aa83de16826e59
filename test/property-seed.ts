import fc from 'fast-check'

/** Fixed, so that a run says the same twice; PROPERTY_SEED=<n> looks elsewhere. */
const seed = Number(process.env.PROPERTY_SEED ?? 20_261_121)

fc.configureGlobal({ seed })
