import type { ChartCanvas } from './chart-canvas.ts'

/** Between two attempts, in ms. */
const AGAIN_MS = 2_000

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
      return (await import('./chart-canvas.ts')).ChartCanvas
    } catch {
      if (isWanted()) missed()
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }
  return null
}
