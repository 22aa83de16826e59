import { WINDOWS, type Window } from '../../../client/src/mintfeed.ts'

/** Chooses whose figures rows show. */
export function WindowChoice({
  window,
  onWindow,
}: {
  readonly window: Window
  readonly onWindow: (window: Window) => void
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a frame of its own, and is no flex box everywhere.
    <div class="window-choice" role="group" aria-label="Window of the figures">
      {WINDOWS.map((each) => (
        <button
          key={each}
          type="button"
          class="button"
          aria-pressed={each === window}
          onClick={() => onWindow(each)}
        >
          {each}
        </button>
      ))}
    </div>
  )
}
