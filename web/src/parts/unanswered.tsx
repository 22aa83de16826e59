import type { Problem } from '../../../client/src/mintfeed.ts'
import { isRefusal } from '../feed/reread.ts'
import { Note } from './note.tsx'

/** In place of a page that nothing was read for yet; null: the answer is waited for. */
export function Unanswered({ problem }: { readonly problem: Problem | null }) {
  if (problem === null) return <Note title="Loading" />
  const title = isRefusal(problem)
    ? 'The service refuses this address'
    : 'The service did not answer'
  return <Note title={title}>{problem.message}</Note>
}
