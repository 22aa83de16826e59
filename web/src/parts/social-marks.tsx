import { safeLink } from '../text/chain-text.ts'

export interface Links {
  readonly twitter?: string | null | undefined
  readonly telegram?: string | null | undefined
  readonly website?: string | null | undefined
  readonly discord?: string | null | undefined
}

const KINDS = [
  ['twitter', 'X'],
  ['telegram', 'TG'],
  ['website', 'WEB'],
  ['discord', 'DC'],
] as const

/** Which links a token has. In a row that is itself a link they are marks only. */
export function SocialMarks({ links }: { readonly links: Links }) {
  const there = KINDS.filter(([key]) => safeLink(links[key]) !== null).map(([, mark]) => mark)
  if (there.length === 0) return null
  return <span class="label">{there.join(' ')}</span>
}

/** The links themselves: https only, and whoever is behind them learns nothing of this page. */
export function SocialLinks({ links }: { readonly links: Links }) {
  return (
    <>
      {KINDS.map(([key, mark]) => {
        const href = safeLink(links[key])
        if (href === null) return null
        return (
          <a
            key={key}
            class="button edge"
            href={href}
            title={href}
            target="_blank"
            rel="noopener noreferrer nofollow"
          >
            {mark} <span aria-hidden="true">↗</span>
            <span class="unseen">(opens a foreign page)</span>
          </a>
        )
      })}
    </>
  )
}
