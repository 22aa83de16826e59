/** How an address is written: base58 of 32 bytes. Others are no owner or signer that an event could carry. */
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

export function isAddress(text: string): boolean {
  return ADDRESS.test(text)
}
