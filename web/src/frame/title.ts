import { useEffect } from 'preact/hooks'

const PROGRAM = 'mintfeed'

/** Names the page in the tab and the history: who has ten tokens open finds the one meant. */
export function useTitle(page: string): void {
  useEffect(() => {
    document.title = page === '' ? PROGRAM : `${page} · ${PROGRAM}`
  }, [page])
}
