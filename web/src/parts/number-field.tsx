import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { bound } from '../filters/board-view.ts'

interface NumberFieldProps {
  readonly label: string
  readonly placeholder: string
  readonly class: string
  /** The number that holds, as a text; empty when there is none. */
  readonly text: string
  /** Told what was typed, null for nothing; answers why it cannot hold, or null. */
  readonly onNumber: (value: number | null) => string | null
}

/**
 * A field for a number. What is typed is the reader's until it is done: a render meanwhile leaves it
 * alone. What cannot be read, or cannot hold, is said and changes nothing.
 */
export function NumberField(props: NumberFieldProps) {
  const { label, placeholder, class: name, text, onNumber } = props
  const input = useRef<HTMLInputElement>(null)
  const problem = useSignal<string | null>(null)
  useLayoutEffect(() => {
    if (input.current !== null) input.current.value = text
    problem.value = null
  }, [text])
  const done = (typed: string) => {
    const value = bound(typed)
    const isUnread = value === null && typed.trim() !== ''
    problem.value = isUnread ? 'Not a number: 1500, 1.5k and 2m are.' : onNumber(value)
  }
  return (
    <>
      <input
        ref={input}
        class={name}
        inputMode="decimal"
        placeholder={placeholder}
        aria-label={label}
        aria-invalid={problem.value !== null}
        title={problem.value ?? undefined}
        onChange={({ currentTarget }) => done(currentTarget.value)}
      />
      {problem.value !== null && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </>
  )
}
