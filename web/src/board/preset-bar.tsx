import { useSignal } from '@preact/signals'
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
  const all = [...BUILT_IN, ...own.value]
  const chosen = all.find((preset) => preset.view === view)
  const keep = (presets: readonly Preset[]) => {
    own.value = presets
    keepPresets(browserStore, presets)
  }
  const save = (name: string) => {
    isNaming.value = false
    if (name.trim() !== '') keep(withPreset(own.value, { name: name.trim(), view }))
  }
  return (
    <div class="presets">
      <select
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
      {isNaming.value && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            save(String(new FormData(event.currentTarget).get('name') ?? ''))
          }}
        >
          <input
            class="field"
            name="name"
            aria-label="Name of the preset"
            placeholder="Name, then Enter"
            maxLength={PRESET_NAME_MAX}
          />
        </form>
      )}
      {chosen !== undefined && !BUILT_IN.includes(chosen) && (
        <button
          type="button"
          class="button"
          onClick={() => keep(own.value.filter(({ name }) => name !== chosen.name))}
        >
          Remove
        </button>
      )}
    </div>
  )
}
