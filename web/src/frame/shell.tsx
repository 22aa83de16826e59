import type { ComponentChildren } from 'preact'
import icon from '../icon.svg'
import { HelpDialog, openHelp } from './help-dialog.tsx'
import { LinkBanner, LinkStatus } from './link-status.tsx'
import { NoticeLine } from './notice-line.tsx'
import { boardPath, route, trendingPath } from './route.ts'
import { SearchBox } from './search-box.tsx'
import { theme, toggleTheme } from './theme.ts'

/** What is around every page: where one is, search, theme, and how fresh the numbers are. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { page } = route.value
  return (
    <div class="frame">
      <header class="top">
        <a class="skip" href="#main">
          To the content
        </a>
        <a class="brand" href={boardPath()} aria-label="mintfeed, live board">
          <img src={icon} alt="" width="22" height="22" />
          <span>mintfeed</span>
        </a>
        <nav class="nav" aria-label="Pages">
          <a href={boardPath()} aria-current={page === 'board' ? 'page' : undefined}>
            Board
          </a>
          <a href={trendingPath()} aria-current={page === 'trending' ? 'page' : undefined}>
            Trending
          </a>
          <a href="/engine" aria-current={page === 'engine' ? 'page' : undefined}>
            Engine
          </a>
          <a class="wide-only" href="/docs">
            API
          </a>
        </nav>
        <span class="spring" />
        <SearchBox />
        <button
          type="button"
          class="button"
          onClick={toggleTheme}
          title="Light or dark (t)"
          aria-label={theme.value === 'dark' ? 'Change to light' : 'Change to dark'}
        >
          {theme.value === 'dark' ? '☾' : '☀'}
        </button>
        <button
          type="button"
          class="button wide-only"
          onClick={openHelp}
          title="Keys (?)"
          aria-label="Keys"
        >
          ?
        </button>
      </header>
      {children}
      <div>
        <NoticeLine />
        <footer class="foot">
          <LinkStatus />
        </footer>
      </div>
      <LinkBanner />
      <HelpDialog />
    </div>
  )
}
