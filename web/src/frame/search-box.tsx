import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { TokenSearchDetailed } from '../../../client/src/mintfeed.ts'
import { client } from '../feed/connection.ts'
import { Avatar } from '../parts/avatar.tsx'
import { TimeAgo } from '../parts/time-ago.tsx'
import { short, shown, shownName } from '../text/chain-text.ts'
import { usd } from '../text/number-form.ts'
import { parseTime } from '../text/time-form.ts'
import { addKeys } from './keyboard.ts'
import { go, tokenPath, walletPath } from './route.ts'

/** A pause in typing after which is asked, in ms: 120 questions a minute are allowed. */
const PAUSE_MS = 180
/** Tokens shown at most. */
const SHOWN_MAX = 12
/** Characters that the service takes (docs/api.md). */
const QUERY_MAX = 128
/** Mints of the platform end so. */
const MINT_SUFFIX = 'pump'
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

interface Found {
  readonly query: string
  readonly tokens: readonly TokenSearchDetailed[]
  readonly problem: string | null
}

const optionId = (index: number) => `found-${index}`

/** Search as you type, over the whole market. */
export function SearchBox() {
  const input = useRef<HTMLInputElement>(null)
  const query = useSignal('')
  const found = useSignal<Found | null>(null)
  const at = useSignal(0)
  /** The focus is in the search; elsewhere a list would only be in the way. */
  const isAttended = useSignal(false)
  /** For what Enter was pressed before the answer came, as behind a mint that was pasted. */
  const hurriedFor = useRef<string | null>(null)

  useEffect(() => addKeys({ '/': () => input.current?.focus() }), [])
  const wanted = query.value.trim()
  useEffect(() => {
    if (wanted === '') {
      found.value = null
      return
    }
    let isWanted = true
    const timer = setTimeout(async () => {
      const answer = await client.search(wanted)
      if (!isWanted) return
      at.value = 0
      found.value = answer.ok
        ? { query: wanted, tokens: answer.data.slice(0, SHOWN_MAX), problem: null }
        : { query: wanted, tokens: [], problem: answer.problem.message }
      if (hurriedFor.current === wanted) openFound()
    }, PAUSE_MS)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [wanted])

  const typed = (text: string) => {
    hurriedFor.current = null
    query.value = text
  }
  const leave = () => {
    typed('')
    input.current?.blur()
  }
  const open = (path: string) => {
    leave()
    go(path)
  }
  const tokens = found.value?.tokens ?? []
  // The focus stays in the field, so that nothing brings the token into sight by itself.
  useLayoutEffect(() => {
    document.getElementById(optionId(at.value))?.scrollIntoView({ block: 'nearest' })
  }, [at.value])
  /** Opens the token that is pointed at, else what may be a wallet; while the answer to what was typed is not there, when it comes. */
  const openFound = () => {
    const text = query.value.trim()
    hurriedFor.current = null
    if (found.value?.query !== text) hurriedFor.current = text
    else if (found.value.tokens.length > 0) open(tokenPath(found.value.tokens[at.value].mint))
    else if (isAddress(found.value)) open(addressPath(text))
  }
  const isShown = found.value !== null && isAttended.value
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    // Enter takes a word of the input method then, the arrows choose it.
    if (event.isComposing) return
    if (key === 'Escape') leave()
    else if (key === 'ArrowDown') at.value = Math.max(Math.min(at.value + 1, tokens.length - 1), 0)
    else if (key === 'ArrowUp') at.value = Math.max(at.value - 1, 0)
    else if (key === 'Enter') openFound()
    else return
    event.preventDefault()
  }
  return (
    <search
      class="search"
      onFocusIn={() => (isAttended.value = true)}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        isAttended.value = relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
      }}
    >
      <input
        ref={input}
        class="field"
        type="text"
        role="combobox"
        aria-label="Search a token"
        aria-expanded={isShown && tokens.length > 0}
        aria-controls="found"
        aria-activedescendant={isShown && tokens.length > 0 ? optionId(at.value) : undefined}
        placeholder="Search name, symbol or mint"
        autocomplete="off"
        spellcheck={false}
        maxLength={QUERY_MAX}
        value={query}
        onInput={({ currentTarget }) => typed(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <kbd>/</kbd>
      {isShown && tokens.length > 0 && (
        <div
          class="found"
          id="found"
          role="listbox"
          aria-label="Tokens found"
          onMouseDown={keepFocus}
        >
          {tokens.map((token, index) => (
            <a
              key={token.mint}
              id={optionId(index)}
              role="option"
              aria-selected={index === at.value}
              href={tokenPath(token.mint)}
              onClick={leave}
            >
              <FoundToken token={token} />
            </a>
          ))}
        </div>
      )}
      {found.value !== null && isShown && tokens.length === 0 && (
        <div class="found" role="status">
          <NothingFound found={found.value} onOpen={open} />
        </div>
      )}
    </search>
  )
}

/** Names are copied: what nobody can copy stands below. */
function FoundToken({ token }: { readonly token: TokenSearchDetailed }) {
  return (
    <>
      <Avatar mint={token.mint} symbol={token.symbol} image={token.image} />
      <span class="title">
        <bdi>{shownName(token.symbol, token.mint)}</bdi>
        <bdi class="faint">{shown(token.name)}</bdi>
      </span>
      <span>{usd(token.market_cap)}</span>
      <span class="which faint">
        <span title={token.mint}>{short(token.mint)}</span>
        <TimeAgo class="age" seconds={parseTime(token.timestamp) ?? 0} />
      </span>
    </>
  )
}

/** A press of the mouse leaves the focus in the field: not every browser gives it to a link or button. */
function keepFocus(event: MouseEvent): void {
  event.preventDefault()
}

/** No token has this address for its mint. */
function isAddress({ query, tokens, problem }: Found): boolean {
  return problem === null && tokens.length === 0 && ADDRESS.test(query)
}

/** A wallet, but for what looks like a mint: its page waits for its first trade. */
function addressPath(address: string): string {
  return looksLikeMint(address) ? tokenPath(address) : walletPath(address)
}

function looksLikeMint(address: string): boolean {
  return address.endsWith(MINT_SUFFIX)
}

function NothingFound({
  found,
  onOpen,
}: {
  readonly found: Found
  readonly onOpen: (path: string) => void
}) {
  if (found.problem !== null) return <p class="note">{found.problem}</p>
  if (!isAddress(found)) return <p class="note">No token is called so.</p>
  return (
    <p class="note">
      No token has this mint.{' '}
      <button
        type="button"
        class="button edge"
        onMouseDown={keepFocus}
        onClick={() => onOpen(addressPath(found.query))}
      >
        {looksLikeMint(found.query) ? 'Wait for its first trade' : 'Open it as a wallet'}
      </button>
    </p>
  )
}
