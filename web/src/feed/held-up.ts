import { computed, type ReadonlySignal, signal } from '@preact/signals'

/** Figures that are overdue. */
export interface HeldUp {
  /** Unix second of what is shown instead; null: nothing was read yet. */
  readonly lastSeconds: number | null
}

const all = signal<readonly HeldUp[]>([])

/** The oldest figures of the page that are overdue; null: none are. */
export const heldUp: ReadonlySignal<HeldUp | null> = computed(() => {
  const [first, ...others] = all.value
  if (first === undefined) return null
  return others.reduce((a, b) => ((b.lastSeconds ?? 0) < (a.lastSeconds ?? 0) ? b : a), first)
})

/** Tells figures that are overdue, until the returned function is called. */
export function tellHeldUp(figures: HeldUp): () => void {
  all.value = [...all.value, figures]
  return () => {
    all.value = all.value.filter((each) => each !== figures)
  }
}
