import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import {
  type Filters,
  FLAG_FILTERS,
  type Range,
  SOCIAL_FILTERS,
  type SocialFilter,
  WINDOWS,
  type Window,
  type WindowFilter,
} from '../../../client/src/mintfeed.ts'
import { client } from '../feed/connection.ts'
import { rangeOf } from '../filters/board-view.ts'
import {
  FLAG_LABELS,
  RANGE_FIELDS,
  type RangeField,
  SOCIAL_LABELS,
  WINDOW_FIELDS,
} from '../filters/filter-fields.ts'
import { addKeys } from '../frame/keyboard.ts'
import { NumberField } from '../parts/number-field.tsx'
import { WindowChoice } from '../parts/window-choice.tsx'

/** What the service takes in a filter by tag. */
const WALLETS_MAX = 100_000

interface PanelProps {
  readonly filters: Filters
  /** Of the board: whose bounds are offered first. */
  readonly window: Window
  readonly onFilters: (filters: Filters) => void
  readonly onClose: () => void
}

/** All filters of one column; what is typed applies when it is done, all else at once. */
export function FilterPanel({ filters, window, onFilters, onClose }: PanelProps) {
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
            <RangeInput
              key={field.key}
              field={field}
              range={filters[field.key]}
              onRange={(range) => onFilters(withKey(filters, field.key, range))}
            />
          ))}
        </fieldset>
        <WindowRanges
          key={clearings.value}
          filters={filters}
          window={window}
          onFilters={onFilters}
        />
        <HeldBy filters={filters} onFilters={onFilters} />
        <fieldset>
          <legend>Only tokens with</legend>
          {FLAG_FILTERS.map((key) => (
            <Check
              key={key}
              label={FLAG_LABELS[key]}
              isOn={filters[key] === true}
              onChange={(isOn) => onFilters(withKey(filters, key, isOn ? true : null))}
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

/** Bounds of one window at a time; the badge of the column counts those of all. */
function WindowRanges({ filters, window, onFilters }: Omit<PanelProps, 'onClose'>) {
  // Where a window is bound already, that is what somebody comes to look at.
  const chosen = useSignal(WINDOWS.find((each) => filters.windows?.[each]) ?? window)
  const shown = chosen.value
  const ranges = filters.windows?.[shown] ?? {}
  const change = (key: WindowFilter, range: Range | null) => {
    const next = withKey(ranges, key, range)
    const windows = withKey(filters.windows ?? {}, shown, isEmpty(next) ? null : next)
    onFilters(withKey(filters, 'windows', isEmpty(windows) ? null : windows))
  }
  return (
    <fieldset>
      <legend>
        In the last <WindowChoice window={shown} onWindow={(next) => (chosen.value = next)} />
      </legend>
      {WINDOW_FIELDS.map((field) => (
        <RangeInput
          key={`${shown}.${field.key}`}
          field={{ ...field, label: `${field.label} ${shown}` }}
          range={ranges[field.key]}
          onRange={(range) => change(field.key, range)}
        />
      ))}
    </fieldset>
  )
}

/** Wallets that the user of the service labelled; nothing where there are none. */
function HeldBy({ filters, onFilters }: Pick<PanelProps, 'filters' | 'onFilters'>) {
  const tags = useSignal<readonly string[]>([])
  useEffect(() => {
    client.walletTags().then((answer) => {
      if (answer.ok) tags.value = answer.data.items.map(({ tag }) => tag)
    })
  }, [])
  const { tag = '', min = 1 } = filters.heldBy ?? {}
  const all = tag === '' || tags.value.includes(tag) ? tags.value : [tag, ...tags.value]
  if (all.length === 0) return null
  const change = (nextTag: string, nextMin: number) =>
    onFilters(withKey(filters, 'heldBy', nextTag === '' ? null : { tag: nextTag, min: nextMin }))
  return (
    <fieldset>
      <legend>Held by wallets you labelled</legend>
      <div class="range">
        <select
          class="field"
          aria-label="Tag of the wallets"
          value={tag}
          onChange={({ currentTarget }) => change(currentTarget.value, min)}
        >
          <option value="">any or none</option>
          {all.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        {tag !== '' && (
          <>
            <span>at least</span>
            <NumberField
              label="Wallets with the tag, at least"
              placeholder="1"
              class="field"
              text={String(min)}
              onNumber={(next) => {
                if (next !== null && !(Number.isInteger(next) && next >= 1 && next <= WALLETS_MAX))
                  return `A whole number from 1 to ${WALLETS_MAX} is expected.`
                change(tag, next ?? 1)
                return null
              }}
            />
          </>
        )}
      </div>
    </fieldset>
  )
}

/** Null: none is wanted. Without a key: what holds now. */
interface Bounds {
  readonly min?: number | null
  readonly max?: number | null
}

function RangeInput({
  field: { label, unit },
  range,
  onRange,
}: {
  readonly field: RangeField<string>
  readonly range: Range | undefined
  readonly onRange: (range: Range | null) => void
}) {
  /** Bounds that were typed and do not hold yet: each may hold once the other one is another. */
  const typed = useRef<Bounds>({})
  useLayoutEffect(() => {
    typed.current = {}
  }, [range?.min, range?.max])
  const change = (bounds: Bounds) => {
    typed.current = { ...typed.current, ...bounds }
    const { min = range?.min ?? null, max = range?.max ?? null } = typed.current
    if (min !== null && max !== null && min > max) return 'The least is above the most.'
    typed.current = {}
    onRange(rangeOf(min, max))
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
        onNumber={(min) => change({ min })}
      />
      <NumberField
        label={`${label}, at most`}
        placeholder="max"
        class="field"
        text={text(range?.max)}
        onNumber={(max) => change({ max })}
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

/** The same with another value of a key, or without it. */
function withKey<T extends object, K extends keyof T>(all: T, key: K, value: T[K] | null): T {
  const next = { ...all }
  if (value === null) delete next[key]
  else next[key] = value
  return next
}

function isEmpty(values: object): boolean {
  return Object.keys(values).length === 0
}

function withSocial(filters: Filters, key: SocialFilter, isOn: boolean): Filters {
  const socials = withKey(filters.socials ?? {}, key, isOn ? true : null)
  return withKey(filters, 'socials', isEmpty(socials) ? null : socials)
}
