/**
 * How a signature is written: base58. What no event line can carry would make a journal that no
 * start reads again.
 */
export const SIGNATURE_PATTERN = '^[1-9A-HJ-NP-Za-km-z]{32,90}$'

const SIGNATURE = new RegExp(SIGNATURE_PATTERN)

export function isSignature(text: string): boolean {
  return SIGNATURE.test(text)
}
