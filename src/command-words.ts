export const HELP_WORDS: readonly string[] = ['help', '--help', '-h']
export const VERSION_WORDS: readonly string[] = ['version', '--version', '-V']

/** Whether the arguments ask for something else than the service. */
export function isCommandLine(args: readonly string[]): boolean {
  if (args.length === 0) return false
  const words = [...HELP_WORDS, ...VERSION_WORDS]
  return !args[0].startsWith('-') || args.some((arg) => words.includes(arg))
}
