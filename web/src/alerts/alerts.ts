import { type Signal, signal } from '@preact/signals'
import type {
  Group,
  RefusedUpdate,
  Subscription,
  TableRow,
  TablesState,
  TrendingState,
} from '../../../client/src/mintfeed.ts'
import { live } from '../feed/connection.ts'
import { type ColumnView, ROWS, tableQuery } from '../filters/board-view.ts'
import { LIST_TITLES, type ListName } from '../filters/list-titles.ts'
import { boardPath, go, tokenPath, trendingPath } from '../frame/route.ts'
import { shownName } from '../text/chain-text.ts'
import type { TrendingView } from '../trending/trending-view.ts'
import { AlertPace } from './alert-pace.ts'
import { Entries } from './entries.ts'
import { allowSound, playAlert } from './sound.ts'

/** A list of tokens that can be watched, and what of it is asked for. */
export type WatchedList =
  | { readonly name: Group; readonly view: ColumnView }
  | { readonly name: 'trending'; readonly view: TrendingView }

/** `refused`: the browser does not let the page notify; `ended`: the service does not give the list. Neither has alerts. */
export type AlertState = 'off' | 'on' | 'refused' | 'ended'

/** Names of tokens that one notification has. */
const NAMED_MAX = 3

interface Watch {
  readonly state: Signal<AlertState>
  /** As it was shown last; null: it never was. */
  list: WatchedList | null
  /** What is watched, as a text; '' while nothing is. */
  watched: string
  subscription: { readonly close: () => void } | null
}

const newWatch = (): Watch => ({
  state: signal('off'),
  list: null,
  watched: '',
  subscription: null,
})
const watches: Readonly<Record<ListName, Watch>> = {
  new: newWatch(),
  completing: newWatch(),
  graduated: newWatch(),
  trending: newWatch(),
}
const pace = new AlertPace()

export function alertState(name: ListName): AlertState {
  return watches[name].state.value
}

/** Called in a click alone: only then is the reader asked whether the page may notify. */
export async function toggleAlerts(list: WatchedList): Promise<void> {
  const watch = watches[list.name]
  if (watch.state.value === 'on') {
    watch.state.value = 'off'
    stop(watch)
    return
  }
  allowSound()
  const isAllowed = await askPermission()
  watch.state.value = isAllowed ? 'on' : 'refused'
  // What the service ended is asked for again.
  stop(watch)
  // It may show something else since it was clicked.
  if (isAllowed) watchList(watch.list ?? list)
}

/** The list shows something else now: what is watched goes with it. It goes on when another page is shown. */
export function alertsFollow(list: WatchedList): void {
  const watch = watches[list.name]
  watch.list = list
  const state = watch.state.peek()
  if (state === 'on' || state === 'ended') watchList(list)
}

/** A page without a secure connection may not tell. A browser that lets no page notify, as that of an iPhone, sounds. */
function mayTell(): boolean {
  return typeof Notification === 'undefined'
    ? isSecureContext
    : Notification.permission === 'granted'
}

async function askPermission(): Promise<boolean> {
  if (mayTell() || typeof Notification === 'undefined') return mayTell()
  return (await Notification.requestPermission()) === 'granted'
}

function watchList(list: WatchedList): void {
  const watch = watches[list.name]
  const name = JSON.stringify(list.view)
  if (watch.watched === name) return
  stop(watch)
  watch.watched = name
  watch.state.value = 'on'
  if (list.name === 'trending') {
    // Not the length of the list that is shown: the same one would need a connection of its own.
    const subscription = live.trending({ ...list.view, limit: ROWS - 1 })
    void follow(watch, list, subscription, ({ trending }) => trending.items)
  } else {
    const query = { ...tableQuery(list.name, list.view), extra: false }
    const group = list.name
    void follow(watch, list, live.tables(query), ({ tables }) => tables[group] ?? [])
  }
}

function stop(watch: Watch): void {
  watch.subscription?.close()
  watch.subscription = null
  watch.watched = ''
}

/** Not on the beats of the page: a tab that nobody sees has none, and is what alerts are for. */
async function follow<State extends TablesState | TrendingState>(
  watch: Watch,
  { name }: WatchedList,
  subscription: Subscription<State | RefusedUpdate>,
  rowsOf: (state: State) => readonly TableRow[],
): Promise<void> {
  watch.subscription = subscription
  const entries = new Entries()
  for await (const update of subscription) {
    if (watch.subscription !== subscription) return
    if (update.kind === 'refused') {
      watch.state.value = 'ended'
      playAlert()
      notify(`${LIST_TITLES[name]}: alerts have ended`, update.problem.message, listPath(name))
      return
    }
    const entered = entries.of(rowsOf(update))
    if (entered.length === 0) continue
    // It may have been taken back in the browser's settings.
    if (mayTell()) tell(name, entered)
    else {
      stop(watch)
      watch.state.value = 'refused'
    }
  }
}

function tell(name: ListName, entered: readonly TableRow[]): void {
  const given = pace.take(entered.length, performance.now())
  if (given === null) return
  playAlert()
  const names = entered.slice(0, NAMED_MAX).map(({ symbol, mint }) => shownName(symbol, mint))
  const more = entered.length - names.length + given.untold
  const body = `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  const [first] = entered
  const title = `${LIST_TITLES[name]}: ${entered.length === 1 ? shownName(first.name, first.mint) : `${entered.length} tokens`}`
  notify(title, body, tokenPath(first.mint))
}

function listPath(name: ListName): string {
  return name === 'trending' ? trendingPath() : boardPath()
}

function notify(title: string, body: string, path: string): void {
  try {
    const notification = new Notification(title, { body, tag: path, silent: true })
    notification.addEventListener('click', () => {
      window.focus()
      go(path)
      notification.close()
    })
  } catch {
    // Browsers of phones let pages notify by a service worker alone, or not at all: the sound is there.
  }
}
