/** Words that ask for something else than the service, where they come first. */
export const COMMAND_NAMES: readonly string[] = [
  ...['inspect', 'verify', 'export', 'repair', 'record', 'doctor'],
  ...['help', 'version'],
]
