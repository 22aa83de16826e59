const REASONS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'the port needs more rights'],
  ['EADDRNOTAVAIL', 'the address is not one of this machine'],
  ['ENOTFOUND', 'the host name is not known'],
])

/** Why a server does not listen, for a sentence to end with; `setting` is what gives the port. */
export function whyNotListening({ code, message }: NodeJS.ErrnoException, setting: string): string {
  if (code === 'EADDRINUSE')
    return `the port is in use: stop what uses it, or give another ${setting}`
  return REASONS.get(code ?? '') ?? message
}
