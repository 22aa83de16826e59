/**
 * Long work of the store is a generator that yields how far it has come: a server runs it in slices,
 * a process of its own to the end, a simulation step by step.
 */

/** Goes on with other work, telling what it yields in other words. */
export function* retold<A, B, T>(
  steps: Generator<A, T>,
  tell: (progress: A) => B,
): Generator<B, T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    yield tell(step.value)
  }
}

/** Runs work to its end at once; `told` hears how far it has come. */
export function runToEnd<A, T>(steps: Generator<A, T>, told: (progress: A) => void = () => {}): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    told(step.value)
  }
}
