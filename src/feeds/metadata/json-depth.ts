const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = [0x5b, 0x7b]
const CLOSING = [0x5d, 0x7d]

/** Whether lists and objects in JSON text lie deeper in each other than `max`; one pass, no parse. */
export function isNestedDeeper(text: string, max: number): boolean {
  let depth = 0
  let isText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isText) {
      if (code === BACKSLASH) at++
      else if (code === QUOTE) isText = false
      continue
    }
    if (code === QUOTE) isText = true
    else if (OPENING.includes(code)) depth += 1
    else if (CLOSING.includes(code)) depth -= 1
    if (depth > max) return true
  }
  return false
}
