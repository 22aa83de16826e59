/** What a part of an address means: its percent escapes read, or as it is where they are none. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
