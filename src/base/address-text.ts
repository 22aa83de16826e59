/** How an address is written: base58 of 32 bytes. Others are no owner or signer that an event could carry. */
export const ADDRESS_PATTERN = '^[1-9A-HJ-NP-Za-km-z]{32,44}$'

const ADDRESS = new RegExp(ADDRESS_PATTERN)

export function isAddress(text: string): boolean {
  return ADDRESS.test(text)
}
