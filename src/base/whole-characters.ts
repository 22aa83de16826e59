/**
 * JSON that JSON.stringify made, with U+FFFD for halves of characters (lone surrogates), which it writes as escapes
 * and strict readers refuse. What is well-formed stays as it is.
 */
export function withWholeCharacters(json: string): string {
  if (!json.includes('\\ud')) return json
  return JSON.stringify(JSON.parse(json), (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  )
}
