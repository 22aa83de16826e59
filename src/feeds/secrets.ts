/** A part of a path that is as long is a key: names of methods, networks and versions are shorter. */
const KEY_CHARACTERS_MIN = 16
/** Values of a query that are shorter are flags and numbers, which stand in other words too. */
const VALUE_CHARACTERS_MIN = 4

/** What of an address nobody else is to read: keys stand in its path or in its query. */
export function secretsOf(address: string): readonly string[] {
  const { pathname, searchParams } = new URL(address)
  const inPath = pathname.split('/').filter(({ length }) => length >= KEY_CHARACTERS_MIN)
  const inQuery = [...searchParams.values()].filter(({ length }) => length >= VALUE_CHARACTERS_MIN)
  return [...inPath, ...inQuery]
}

/** A peer may repeat the address or the key that it was asked with. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '…'), text)
}
