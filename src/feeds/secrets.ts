import { percentDecoded } from '../base/safe-text.ts'

/** A part of a path that is as long is a key: names of methods, networks and versions are shorter. */
const KEY_CHARACTERS_MIN = 16
/** Values of a query and words of a login that are shorter stand in other words too. */
const VALUE_CHARACTERS_MIN = 4

/**
 * What of an address nobody else is to read: keys stand in its path or in its query, and before its host may
 * be a login. Each as it is written there, and as it is meant; and a token that is sent beside it.
 */
export function secretsOf(address: string, token = ''): readonly string[] {
  const { pathname, search, searchParams, username, password } = new URL(address)
  const inPath = pathname.split('/').filter(({ length }) => length >= KEY_CHARACTERS_MIN)
  const inQuery = search.split('&').map((pair) => pair.split('=').slice(1).join('='))
  const others = [...inQuery, ...searchParams.values(), username, password]
  const written = [...inPath, ...others.filter(({ length }) => length >= VALUE_CHARACTERS_MIN)]
  const all = written.flatMap((secret) => [secret, percentDecoded(secret)])
  return [...new Set(token === '' ? all : [token, ...all])]
}

/** A peer may repeat the address or the key that it was asked with. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  // One may be a part of another.
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length)
  return longestFirst.reduce((shown, secret) => shown.replaceAll(secret, '…'), text)
}
