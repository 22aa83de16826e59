import type { Interner } from '../../src/feeds/simulator/world/wallet-pool.ts'

/** Ids, and the text of each. */
export interface KnownNames extends Interner {
  readonly tokens: readonly string[]
  readonly wallets: readonly string[]
  readonly addresses: readonly string[]
}

/** The ids of another book, of what it was asked here for. */
export function namesOf(book: Interner): KnownNames {
  const tokens: string[] = []
  const wallets: string[] = []
  const addresses: string[] = []
  const noted = (texts: string[], id: number, text: string): number => {
    texts[id] = text
    return id
  }
  return {
    ...{ tokens, wallets, addresses },
    token: (mint) => noted(tokens, book.token(mint), mint),
    wallet: (address) => noted(wallets, book.wallet(address), address),
    address: (text) => noted(addresses, book.address(text), text),
  }
}

/** Ids in order of arrival; knows the text of each. */
export class Names implements KnownNames {
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
