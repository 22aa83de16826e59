/**
 * What the browser keeps for this page. One that is told to keep nothing throws at the very mention of
 * its store, a full one at each write: the page then goes on without what was kept.
 */
export const browserStore: Pick<Storage, 'getItem' | 'setItem'> = {
  getItem(key) {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  },
  setItem(key, text) {
    try {
      localStorage.setItem(key, text)
    } catch {
      // It holds until the page is left.
    }
  },
}
