/** A setting that cannot be used; the message is one sentence for the user. */
export class ConfigError extends Error {}
