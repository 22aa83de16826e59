import { StateError, type StatePart } from '../../engine/memory/state-part.ts'

/** Moves a state from one engine to another in memory; what the other held is gone. */
export function copyParts(from: readonly StatePart[], to: readonly StatePart[]): void {
  if (from.length !== to.length)
    throw new StateError(`a state of ${from.length} parts does not fit one of ${to.length}`)
  from.forEach((part, i) => {
    copyBytes(part, to[i])
  })
  for (const part of to) part.settle()
}

function copyBytes(from: StatePart, to: StatePart): void {
  if (from.name !== to.name)
    throw new StateError(`the state has ${from.name} where ${to.name} belongs`)
  const sources = from.views()
  const targets = to.open(from.facts())
  if (sources.length !== targets.length)
    throw new StateError(`the state's ${to.name} has ${sources.length} runs of bytes`)
  sources.forEach((source, i) => {
    if (source.length !== targets[i].length)
      throw new StateError(`run ${i} of the state's ${to.name} has ${source.length} bytes`)
    targets[i].set(source)
  })
}
