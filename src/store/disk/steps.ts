/**
 * Long work of the store is a generator that yields how far it has come: a server runs it in slices,
 * a process of its own to the end, a simulation step by step.
 */

/** Runs work inside other work, whose steps yield their progress in another form. */
export function* mapProgress<A, B, T>(
  steps: Generator<A, T>,
  map: (progress: A) => B,
): Generator<B, T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    yield map(step.value)
  }
}

/** Runs work to its end at once; `onProgress` gets each step. */
export function runToEnd<A, T>(
  steps: Generator<A, T>,
  onProgress: (progress: A) => void = () => {},
): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    onProgress(step.value)
  }
}
