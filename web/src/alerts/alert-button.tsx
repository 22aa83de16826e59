import { LIST_TITLES } from '../filters/list-titles.ts'
import { alertState, toggleAlerts, type WatchedList } from './alerts.ts'

const WORDS = {
  off: 'Sound and notification when a token enters',
  on: 'Alerts are on: stop them',
  refused:
    'The browser does not let this page notify: allow it in its settings (https or localhost)',
  ended: 'The service ended these alerts: ask for them again',
} as const

/** Switches the alerts of a list on, which asks for the browser's permission, and off. */
export function AlertButton({ list }: { readonly list: WatchedList }) {
  const state = alertState(list.name)
  return (
    <button
      type="button"
      class="button alert"
      data-alerts={state}
      aria-pressed={state === 'on'}
      aria-label={`Alerts of ${LIST_TITLES[list.name]}`}
      title={WORDS[state]}
      onClick={() => void toggleAlerts(list)}
    >
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d="M8 1.5a4 4 0 0 0-4 4c0 4-1.5 5-1.5 5.5h11c0-.5-1.5-1.5-1.5-5.5a4 4 0 0 0-4-4Zm-1.5 11a1.5 1.5 0 0 0 3 0" />
        {(state === 'refused' || state === 'ended') && <path d="m2 2 12 12" />}
      </svg>
    </button>
  )
}
