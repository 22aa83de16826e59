import type { Interner } from '../../src/feeds/simulator/interner.ts'

/** Ids in order of arrival; knows the text of each. */
export class Names implements Interner {
  readonly tokens: string[] = []
  readonly wallets: string[] = []
  readonly addresses: string[] = []
  token = (mint: string): number => intern(this.tokens, this.#tokenIds, mint)
  wallet = (address: string): number => intern(this.wallets, this.#walletIds, address)
  address = (text: string): number => intern(this.addresses, this.#addressIds, text)
  readonly #tokenIds = new Map<string, number>()
  readonly #walletIds = new Map<string, number>()
  readonly #addressIds = new Map<string, number>()
}

function intern(texts: string[], ids: Map<string, number>, text: string): number {
  const known = ids.get(text)
  if (known !== undefined) return known
  ids.set(text, texts.length)
  return texts.push(text) - 1
}
