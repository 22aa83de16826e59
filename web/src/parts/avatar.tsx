import { shown } from '../text/chain-text.ts'
import { pictureLink } from '../text/picture-link.ts'

/** The service allows pictures of tokens: each is a request to a server that the token's creator chose. */
const HAS_IMAGES = document.documentElement.dataset.images === 'on'

interface AvatarProps {
  readonly mint: string
  readonly symbol: string
  readonly image: string | null | undefined
}

/** A token's first letter on a colour of its mint; above it its picture, where pictures are allowed. */
export function Avatar({ mint, symbol, image }: AvatarProps) {
  const [letter = '?'] = shown(symbol)
  const source = HAS_IMAGES ? pictureLink(image) : null
  return (
    <span class="avatar" aria-hidden="true" style={{ background: colourOf(mint) }}>
      {letter.toUpperCase()}
      {source !== null && (
        <img
          key={source}
          src={source}
          alt=""
          loading="lazy"
          decoding="async"
          referrerpolicy="no-referrer"
          // The letter is below it.
          onError={({ currentTarget }) => (currentTarget.hidden = true)}
        />
      )}
    </span>
  )
}

/** Dark enough for white letters (4.5:1 at every hue). */
function colourOf(mint: string): string {
  let sum = 0
  for (let i = 0; i < mint.length; i++) sum = (sum * 31 + mint.charCodeAt(i)) % 3600
  return `oklch(0.42 0.085 ${sum / 10})`
}
