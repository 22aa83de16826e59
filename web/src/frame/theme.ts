import { signal } from '@preact/signals'
import { browserStore } from './browser-store.ts'

export type Theme = 'dark' | 'light'
const STORE_KEY = 'mintfeed.theme'

const system = matchMedia('(prefers-color-scheme: light)')
export const theme = signal<Theme>(chosen() ?? (system.matches ? 'light' : 'dark'))

function chosen(): Theme | null {
  const kept = browserStore.getItem(STORE_KEY)
  return kept === 'light' || kept === 'dark' ? kept : null
}

/** Keeps the document in the theme; without a choice of its own it follows the system. */
export function wearTheme(): void {
  theme.subscribe((value) => {
    document.documentElement.dataset.theme = value
  })
  system.addEventListener('change', () => {
    if (chosen() === null) theme.value = system.matches ? 'light' : 'dark'
  })
}

export function toggleTheme(): void {
  theme.value = theme.value === 'dark' ? 'light' : 'dark'
  browserStore.setItem(STORE_KEY, theme.value)
}
