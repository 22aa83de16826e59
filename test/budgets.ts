import { Budget, UNFINISHED, within } from '../src/base/budget.ts'

/** Ends a read at its first piece. */
export const NO_TIME = new Budget(() => false)

/** Ends a read at its `pieces`-th piece. */
export function budgetOf(pieces: number): Budget {
  let left = pieces
  return new Budget(() => --left > 0)
}

/** Makes a read in as many turns as it takes, with something that happens between any two. */
export function readInTurns<T>(
  read: (budget: Budget) => T,
  between: (turn: number) => void = () => {},
  budget: () => Budget = () => NO_TIME,
): { readonly answer: T; readonly turns: number } {
  for (let turns = 1; ; turns++) {
    const answer = within(budget(), read)
    if (answer !== UNFINISHED) return { answer, turns }
    between(turns)
  }
}
