import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import {
  BUILT_IN,
  keepPresets,
  loadPresets,
  PRESET_NAME_MAX,
  type Preset,
  withPreset,
} from '../filters/presets.ts'
import { browserStore } from '../frame/browser-store.ts'

interface PresetBarProps {
  /** What the board shows now, as behind the `?` of the address. */
  readonly view: string
  readonly onView: (view: string) => void
}

/** Named views: chosen from a list; the present one can be kept under a name. */
export function PresetBar({ view, onView }: PresetBarProps) {
  const own = useSignal(loadPresets(browserStore))
  const isNaming = useSignal(false)
  const list = useRef<HTMLSelectElement>(null)
  // Another tab keeps its own there, too: who knew nothing of them would write them away.
  useEffect(() => {
    const read = () => (own.value = loadPresets(browserStore))
    addEventListener('storage', read)
    return () => removeEventListener('storage', read)
  }, [])
  const all = [...BUILT_IN, ...own.value]
  const chosen = all.find((preset) => preset.view === view)
  const keep = (presets: readonly Preset[]) => {
    own.value = presets
    keepPresets(browserStore, presets)
  }
  // What had the focus goes with the form: it stays in the bar.
  const leave = () => {
    isNaming.value = false
    list.current?.focus()
  }
  const save = (name: string) => {
    if (name !== '') keep(withPreset(own.value, { name, view }))
    leave()
  }
  return (
    <div class="presets">
      <select
        ref={list}
        class="select"
        aria-label="Preset"
        value={chosen?.name ?? ''}
        onChange={({ currentTarget: { value } }) => {
          const preset = all.find(({ name }) => name === value)
          if (preset !== undefined) onView(preset.view)
        }}
      >
        {chosen === undefined && <option value="">Own view</option>}
        {all.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      {chosen === undefined && !isNaming.value && (
        <button type="button" class="button" onClick={() => (isNaming.value = true)}>
          Save
        </button>
      )}
      {isNaming.value && <NameField onName={save} onLeave={leave} />}
      {chosen !== undefined && !BUILT_IN.includes(chosen) && (
        <button
          type="button"
          class="button"
          onClick={() => {
            keep(own.value.filter(({ name }) => name !== chosen.name))
            leave()
          }}
        >
          Remove
        </button>
      )}
    </div>
  )
}

/** Asks for a name. Those that are there from the start are taken: of two alike only one could be chosen. */
function NameField({
  onName,
  onLeave,
}: {
  readonly onName: (name: string) => void
  readonly onLeave: () => void
}) {
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => input.current?.focus(), [])
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onName(input.current?.value.trim() ?? '')
      }}
    >
      <input
        ref={input}
        class="field"
        aria-label="Name of the preset"
        placeholder="Name, then Enter"
        maxLength={PRESET_NAME_MAX}
        onInput={({ currentTarget }) => {
          const name = currentTarget.value.trim()
          const isTaken = BUILT_IN.some((preset) => preset.name === name)
          currentTarget.setCustomValidity(isTaken ? `${name} is there from the start.` : '')
        }}
        onKeyDown={({ key }) => {
          if (key === 'Escape') onLeave()
        }}
      />
    </form>
  )
}
