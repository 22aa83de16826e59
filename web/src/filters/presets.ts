/** Named views of the board, kept in the browser. */
export interface Preset {
  readonly name: string
  /** As behind the `?` of the address. */
  readonly view: string
}

const STORE_KEY = 'mintfeed.presets'

/** Presets at most; the oldest go first. */
export const PRESETS_MAX = 24
/** Characters of a name at most. */
export const PRESET_NAME_MAX = 32

/** Presets that are there from the start. */
export const BUILT_IN: readonly Preset[] = [
  { name: 'All', view: '' },
  {
    name: 'Clean',
    view: ['new', 'completing', 'graduated']
      .map(
        (group) =>
          `${group}.devHoldingPct=..5&${group}.bundlersHoldingPct=..5&${group}.socials=atLeastOne`,
      )
      .join('&'),
  },
  {
    name: 'About to graduate',
    view: new URLSearchParams([
      ['completing.ageMinutes', '..60'],
      ['completing.holders', '20..'],
      ['completing.sort', 'progress'],
    ]).toString(),
  },
]

/** What was kept; an unreadable store counts as an empty one. */
export function parsePresets(text: string | null): readonly Preset[] {
  let value: unknown
  try {
    value = JSON.parse(text ?? '[]')
  } catch {
    return []
  }
  return Array.isArray(value) ? value.filter(isPreset).slice(-PRESETS_MAX) : []
}

function isPreset(value: unknown): value is Preset {
  if (typeof value !== 'object' || value === null) return false
  const name: unknown = Reflect.get(value, 'name')
  const view: unknown = Reflect.get(value, 'view')
  return typeof name === 'string' && name.length <= PRESET_NAME_MAX && typeof view === 'string'
}

/** A preset of the name takes the place of an older one. */
export function withPreset(presets: readonly Preset[], preset: Preset): readonly Preset[] {
  return [...presets.filter(({ name }) => name !== preset.name), preset].slice(-PRESETS_MAX)
}

export function loadPresets(store: Pick<Storage, 'getItem'>): readonly Preset[] {
  return parsePresets(store.getItem(STORE_KEY))
}

export function keepPresets(store: Pick<Storage, 'setItem'>, presets: readonly Preset[]): void {
  store.setItem(STORE_KEY, JSON.stringify(presets))
}
