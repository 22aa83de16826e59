import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import {
  type Filters,
  FLAG_FILTERS,
  type FlagFilter,
  SOCIAL_FILTERS,
  type SocialFilter,
} from '../../../client/src/mintfeed.ts'
import { rangeOf } from '../filters/board-view.ts'
import {
  FLAG_LABELS,
  RANGE_FIELDS,
  type RangeField,
  SOCIAL_LABELS,
} from '../filters/filter-fields.ts'
import { addKeys } from '../frame/keyboard.ts'
import { NumberField } from '../parts/number-field.tsx'

interface PanelProps {
  readonly filters: Filters
  readonly onFilters: (filters: Filters) => void
  readonly onClose: () => void
}

/** All filters of one column; what is typed applies when it is done, all else at once. */
export function FilterPanel({ filters, onFilters, onClose }: PanelProps) {
  // Fields that were cleared are others: what was typed and did not hold goes too.
  const clearings = useSignal(0)
  const clear = () => {
    clearings.value += 1
    onFilters({})
  }
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => addKeys({ Escape: () => close.current() }), [])
  return (
    <form
      class="filters"
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        // Keys in a field are not the page's.
        if (event.key !== 'Escape' || event.isComposing) return
        event.stopPropagation()
        onClose()
      }}
    >
      <div class="filter-fields">
        <fieldset key={clearings.value}>
          <legend>Ranges (inclusive; 1.5k and 2m are understood)</legend>
          {RANGE_FIELDS.map((field) => (
            <RangeInput key={field.key} field={field} filters={filters} onFilters={onFilters} />
          ))}
        </fieldset>
        <fieldset>
          <legend>Only tokens with</legend>
          {FLAG_FILTERS.map((key) => (
            <Check
              key={key}
              label={FLAG_LABELS[key]}
              isOn={filters[key] === true}
              onChange={(isOn) => onFilters(withFlag(filters, key, isOn))}
            />
          ))}
          {SOCIAL_FILTERS.map((key) => (
            <Check
              key={key}
              label={SOCIAL_LABELS[key]}
              isOn={filters.socials?.[key] === true}
              onChange={(isOn) => onFilters(withSocial(filters, key, isOn))}
            />
          ))}
        </fieldset>
      </div>
      <div class="actions">
        <button type="button" class="button main" onClick={onClose}>
          Done
        </button>
        <button type="button" class="button edge" onClick={clear}>
          Clear
        </button>
        <span class="hint">
          A bound applies on Enter or when you leave its field, a tick at once.
        </span>
      </div>
    </form>
  )
}

function RangeInput({
  field,
  filters,
  onFilters,
}: {
  readonly field: RangeField
  readonly filters: Filters
  readonly onFilters: (filters: Filters) => void
}) {
  const { key, label, unit } = field
  const range = filters[key]
  const change = (min: number | null, max: number | null) => {
    if (min !== null && max !== null && min > max) return 'The least is above the most.'
    const { [key]: _, ...others } = filters
    const next = rangeOf(min, max)
    onFilters(next === null ? others : { ...others, [key]: next })
    return null
  }
  const text = (value: number | undefined) => (value === undefined ? '' : String(value))
  return (
    <div class="range">
      <span>
        {label}
        {unit !== '' && <span class="faint">{`\u00a0${unit}`}</span>}
      </span>
      <NumberField
        label={`${label}, at least`}
        placeholder="min"
        class="field"
        text={text(range?.min)}
        onNumber={(min) => change(min, range?.max ?? null)}
      />
      <NumberField
        label={`${label}, at most`}
        placeholder="max"
        class="field"
        text={text(range?.max)}
        onNumber={(max) => change(range?.min ?? null, max)}
      />
    </div>
  )
}

function Check({
  label,
  isOn,
  onChange,
}: {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {label}
    </label>
  )
}

function withFlag(filters: Filters, key: FlagFilter, isOn: boolean): Filters {
  const { [key]: _, ...others } = filters
  return isOn ? { ...others, [key]: true } : others
}

function withSocial(filters: Filters, key: SocialFilter, isOn: boolean): Filters {
  const { socials = {}, ...others } = filters
  const { [key]: _, ...rest } = socials
  const next = isOn ? { ...rest, [key]: true } : rest
  return Object.keys(next).length === 0 ? others : { ...others, socials: next }
}
