/** What to start: the bundle, which starts sooner, unless there is none or the sources are newer. */
export function programPath(): string
