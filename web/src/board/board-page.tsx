import { useEffect, useMemo } from 'preact/hooks'
import { GROUPS, type Group } from '../../../client/src/mintfeed.ts'
import { ColumnFeed } from '../feed/column-feed.ts'
import {
  type BoardView,
  boardViewText,
  type ColumnView,
  parseBoardView,
  withWindow,
} from '../filters/board-view.ts'
import { LIST_TITLES } from '../filters/list-titles.ts'
import { go } from '../frame/route.ts'
import { useTitle } from '../frame/title.ts'
import { LegendButton } from '../parts/legend.tsx'
import { WindowChoice } from '../parts/window-choice.tsx'
import { Column } from './column.tsx'
import { onTab } from './last-look.ts'
import { PresetBar } from './preset-bar.tsx'
import { useWalk } from './walk.ts'

/** The board: three live columns, what they show kept in the address. */
export function BoardPage({ search }: { readonly search: string }) {
  useTitle('')
  const view = useMemo(() => parseBoardView(search), [search])
  const walk = useWalk(GROUPS, onTab)
  const feeds = useMemo(
    () => ({
      new: new ColumnFeed('new'),
      completing: new ColumnFeed('completing'),
      graduated: new ColumnFeed('graduated'),
    }),
    [],
  )
  useEffect(() => {
    for (const group of GROUPS) feeds[group].follow(view[group])
  }, [feeds, view])
  useEffect(
    () => () => {
      for (const group of GROUPS) feeds[group].close()
    },
    [feeds],
  )

  const showText = (text: string) => go(text === '' ? '/' : `/?${text}`, 'replace')
  const show = (next: BoardView) => showText(boardViewText(next))
  const onView = (group: Group, column: ColumnView) => show({ ...view, [group]: column })

  return (
    <main class="board-page" id="main" tabIndex={-1}>
      <h1 class="unseen">Live board</h1>
      <div class="board-bar">
        <PresetBar view={boardViewText(view)} onView={showText} />
        <WindowChoice window={view.window} onWindow={(window) => show(withWindow(view, window))} />
        <LegendButton />
        <span class="spring" />
        <span class="hint wide-only">Pointing at a column holds its order</span>
        <div class="tabs">
          {GROUPS.map((group) => (
            <button
              key={group}
              type="button"
              class="button"
              aria-pressed={onTab.value === group}
              onClick={() => (onTab.value = group)}
            >
              {LIST_TITLES[group]}
            </button>
          ))}
        </div>
      </div>
      <div class="board" data-tab={onTab}>
        {GROUPS.map((group) => (
          <Column
            key={group}
            group={group}
            feed={feeds[group]}
            view={view[group]}
            window={view.window}
            currentMint={walk.currentMint(group)}
            onView={(column) => onView(group, column)}
            onShown={(mints) => walk.shown(group, mints)}
          />
        ))}
      </div>
    </main>
  )
}
