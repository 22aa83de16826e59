const HELP_WORDS: readonly string[] = ['help', '--help', '-h']
const VERSION_WORDS: readonly string[] = ['version', '--version', '-V']

/** Whether the arguments ask for something else than the service. */
export function isCommandLine(args: readonly string[]): boolean {
  if (args.length === 0) return false
  return !args[0].startsWith('-') || asks(HELP_WORDS, args) || asksForVersion(args)
}

export function asksForVersion(args: readonly string[]): boolean {
  return asks(VERSION_WORDS, args)
}

/** Behind the first argument a word without a dash is the value of a flag. */
function asks(words: readonly string[], args: readonly string[]): boolean {
  return args.some((arg, i) => words.includes(arg) && (i === 0 || arg.startsWith('-')))
}
