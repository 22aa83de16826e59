import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { GROUPS, type Group } from '../../../client/src/mintfeed.ts'
import { ColumnFeed } from '../feed/column-feed.ts'
import { boardViewText, type ColumnView, parseBoardView } from '../filters/board-view.ts'
import { addKeys, leaveFocus } from '../frame/keyboard.ts'
import { go, tokenPath } from '../frame/route.ts'
import { useTitle } from '../frame/title.ts'
import { LegendButton } from '../parts/legend.tsx'
import { COLUMN_TITLES, Column } from './column.tsx'
import { onTab } from './last-look.ts'
import { PresetBar } from './preset-bar.tsx'
import { copiedMint } from './row-copy.tsx'

interface Place {
  readonly group: Group
  readonly mint: string
}

/** The board: three live columns, what they show kept in the address. */
export function BoardPage({ search }: { readonly search: string }) {
  useTitle('')
  const view = useMemo(() => parseBoardView(search), [search])
  const place = useSignal<Place | null>(null)
  const shown = useRef<Record<Group, readonly string[]>>({ new: [], completing: [], graduated: [] })
  const feeds = useMemo(
    () => ({
      new: new ColumnFeed('new'),
      completing: new ColumnFeed('completing'),
      graduated: new ColumnFeed('graduated'),
    }),
    [],
  )
  useEffect(() => {
    for (const group of GROUPS) feeds[group].follow(view[group].filters)
  }, [feeds, view])
  useEffect(
    () => () => {
      for (const group of GROUPS) feeds[group].close()
    },
    [feeds],
  )

  const showText = (text: string) => go(text === '' ? '/' : `/?${text}`, 'replace')
  const onView = (group: Group, column: ColumnView) =>
    showText(boardViewText({ ...view, [group]: column }))
  const step = (by: number) => {
    leaveFocus()
    const { group, mint } = place.value ?? { group: onTab.value, mint: '' }
    const mints = shown.current[group]
    const at = Math.min(Math.max(mints.indexOf(mint) + by, 0), mints.length - 1)
    if (at >= 0) place.value = { group, mint: mints[at] }
  }
  const change = (by: number) => {
    leaveFocus()
    const at = GROUPS.indexOf(place.value?.group ?? onTab.value) + by
    const group = GROUPS[Math.min(Math.max(at, 0), GROUPS.length - 1)]
    onTab.value = group
    const [mint] = shown.current[group]
    place.value = mint === undefined ? null : { group, mint }
  }
  useEffect(
    () =>
      addKeys({
        j: () => step(1),
        k: () => step(-1),
        l: () => change(1),
        h: () => change(-1),
        Enter: () => {
          if (place.value !== null) go(tokenPath(place.value.mint))
        },
        c: () => {
          const mint = focusedMint() ?? place.value?.mint ?? ''
          if (mint !== '') void copiedMint.copy(mint)
        },
        Escape: () => {
          place.value = null
        },
      }),
    [],
  )

  return (
    <main class="board-page" id="main" tabIndex={-1}>
      <h1 class="unseen">Live board</h1>
      <div class="board-bar">
        <PresetBar view={boardViewText(view)} onView={showText} />
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
              {COLUMN_TITLES[group]}
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
            currentMint={place.value?.group === group ? place.value.mint : null}
            onView={(column) => onView(group, column)}
            onShown={(mints) => (shown.current[group] = mints)}
          />
        ))}
      </div>
    </main>
  )
}

/** The mint of the row that has the focus. */
function focusedMint(): string | null {
  const row = document.activeElement?.closest<HTMLElement>('.row')
  return row?.dataset.mint ?? null
}
