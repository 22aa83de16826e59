import { shown } from '../text/chain-text.ts'

/** A picture of a token without asking anybody for it: its first letter on a colour of its mint. */
export function Avatar({ mint, symbol }: { readonly mint: string; readonly symbol: string }) {
  const [letter = '?'] = shown(symbol)
  return (
    <span class="avatar" aria-hidden="true" style={{ background: colourOf(mint) }}>
      {letter.toUpperCase()}
    </span>
  )
}

/** Dark enough for white letters (4.5:1 at every hue). */
function colourOf(mint: string): string {
  let sum = 0
  for (let i = 0; i < mint.length; i++) sum = (sum * 31 + mint.charCodeAt(i)) % 3600
  return `oklch(0.42 0.085 ${sum / 10})`
}
