import { render } from 'preact'
import { BoardPage } from './board/board-page.tsx'
import { EnginePage } from './engine/engine-page.tsx'
import { followNotice } from './feed/notice.ts'
import { useFocusOf } from './frame/focus.ts'
import { openHelp } from './frame/help-dialog.tsx'
import { addKeys, listenToKeys } from './frame/keyboard.ts'
import { keepTime } from './frame/now.ts'
import { boardPath, followAddress, go, route, trendingPath } from './frame/route.ts'
import { Shell } from './frame/shell.tsx'
import { toggleTheme, wearTheme } from './frame/theme.ts'
import { TokenPage } from './token/token-page.tsx'
import { TrendingPage } from './trending/trending-page.tsx'
import { WalletPage } from './wallet/wallet-page.tsx'

function Page() {
  const { value } = route
  useFocusOf(location.pathname)
  switch (value.page) {
    case 'board':
      return <BoardPage search={value.search} />
    case 'trending':
      return <TrendingPage search={value.search} />
    case 'engine':
      return <EnginePage />
    case 'token':
      return <TokenPage key={value.mint} mint={value.mint} />
    case 'wallet':
      return <WalletPage key={value.wallet} wallet={value.wallet} />
  }
}

wearTheme()
followAddress()
listenToKeys()
void keepTime()
void followNotice()
addKeys({
  '?': openHelp,
  t: toggleTheme,
  b: () => go(boardPath()),
  r: () => go(trendingPath()),
  e: () => go('/engine'),
})

const root = document.getElementById('page')
if (root !== null)
  render(
    <Shell>
      <Page />
    </Shell>,
    root,
  )
