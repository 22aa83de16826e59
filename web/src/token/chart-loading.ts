import type { ChartCanvas } from './chart-canvas.ts'

/** Between two attempts, in ms. */
const AGAIN_MS = 2_000

type ChartModule = typeof import('./chart-canvas.ts')

/** Once it has come it is there for all charts. */
let come: ChartModule | null = null
let attempts = 0

/**
 * What draws charts. It is large, and comes with the first chart instead of with the page: by then the service
 * may be away, or of another version that has it under another name. Null: nobody wants it any more.
 *
 * @param missed told each time that it does not come; it is asked for again
 */
export async function loadChartCanvas(
  isWanted: () => boolean,
  missed: () => void,
): Promise<typeof ChartCanvas | null> {
  while (isWanted()) {
    try {
      come ??= await asked()
      return come.ChartCanvas
    } catch {
      if (isWanted()) missed()
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }
  return null
}

/**
 * By another name each time but the first: browsers may keep that a module did not come, and never ask for it
 * again. The build tells the name in the page's head (vite.config.ts).
 */
async function asked(): Promise<ChartModule> {
  attempts += 1
  const path = document.querySelector<HTMLMetaElement>('meta[name="chart-canvas"]')?.content
  if (attempts === 1 || path === undefined) return await import('./chart-canvas.ts')
  const module: unknown = await import(/* @vite-ignore */ `${path}?attempt=${attempts}`)
  if (isChartModule(module)) return module
  throw new Error('what draws charts is of another version')
}

function isChartModule(module: unknown): module is ChartModule {
  return typeof module === 'object' && module !== null && 'ChartCanvas' in module
}
