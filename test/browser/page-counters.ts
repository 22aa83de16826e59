import type { CDPSession, Page } from 'playwright-core'

/** What the browser itself noted of the load, in ms since the page was asked for; null: it did not say. */
export interface Load {
  readonly firstPaintMs: number | null
  readonly firstContentMs: number | null
  readonly largestMs: number | null
  /** Until the first row stood in the page. */
  readonly firstRowMs: number | null
}

interface Notes {
  largestMs: number | null
  firstRowMs: number | null
  /** Longest event of each interaction; the browser reports none below 16 ms. */
  readonly delays: Record<string, number>
}

declare global {
  interface Window {
    /** Where the script below leaves what it saw. */
    measuredNotes?: Notes
  }
}

/** Runs in the page before anything of its own: takes notes from the browser's own observers. */
export async function takeNotes(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const notes: Notes = { largestMs: null, firstRowMs: null, delays: {} }
    window.measuredNotes = notes
    // The shortest that browsers tell.
    const told = { type: 'event', buffered: true, durationThreshold: 16 }
    const observe = (tell: (entry: PerformanceEntry) => void, options: PerformanceObserverInit) =>
      new PerformanceObserver((list) => list.getEntries().forEach(tell)).observe(options)
    observe(
      (entry) => {
        notes.largestMs = entry.startTime
      },
      { type: 'largest-contentful-paint', buffered: true },
    )
    observe((entry) => {
      const id: unknown = Reflect.get(entry, 'interactionId')
      if (typeof id !== 'number' || id === 0) return
      notes.delays[id] = Math.max(notes.delays[id] ?? 0, entry.duration)
    }, told)
    new MutationObserver((_, observer) => {
      if (document.querySelector('.row') === null) return
      notes.firstRowMs = performance.now()
      observer.disconnect()
    }).observe(document, { childList: true, subtree: true })
  })
}

export function loadOf(page: Page): Promise<Load> {
  return page.evaluate(() => {
    const paint = (kind: string) => performance.getEntriesByName(kind).at(0)?.startTime ?? null
    return {
      firstPaintMs: paint('first-paint'),
      firstContentMs: paint('first-contentful-paint'),
      largestMs: window.measuredNotes?.largestMs ?? null,
      firstRowMs: window.measuredNotes?.firstRowMs ?? null,
    }
  })
}

/** Delays of the interactions so far that took 16 ms or more, and how many there were. */
export function delaysOf(page: Page): Promise<{ count: number; longMs: readonly number[] }> {
  return page.evaluate(() => {
    const longMs = Object.values(window.measuredNotes?.delays ?? {})
    const counted: unknown = Reflect.get(performance, 'interactionCount')
    return { count: typeof counted === 'number' ? counted : longMs.length, longMs }
  })
}

/**
 * Times of the frames of so many seconds, in ms from the first second's start, as the browser gives
 * them to requestAnimationFrame. It ends by the clock: a page that draws nothing does not stop it.
 */
export function frameTimesOf(page: Page, seconds: number): Promise<readonly number[]> {
  return page.evaluate(
    (durationMs) =>
      new Promise<number[]>((resolve) => {
        const startMs = performance.now()
        const times: number[] = []
        const frame = (nowMs: number) => {
          times.push(nowMs - startMs)
          if (nowMs - startMs < durationMs) requestAnimationFrame(frame)
        }
        requestAnimationFrame(frame)
        setTimeout(() => resolve(times), durationMs)
      }),
    seconds * 1000,
  )
}

export interface MemoryReading {
  /** Bytes of JavaScript that live after a forced collection. */
  readonly heapBytes: number
  /** Nodes of the document, and those that only script still holds. */
  readonly nodes: number
  readonly listeners: number
}

export async function memoryOf(session: CDPSession): Promise<MemoryReading> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize: heapBytes } = await session.send('Runtime.getHeapUsage')
  const { nodes, jsEventListeners: listeners } = await session.send('Memory.getDOMCounters')
  return { heapBytes, nodes, listeners }
}

/** Seconds of its life that the page's own thread was busy, by kind. */
export async function busySeconds(session: CDPSession): Promise<Readonly<Record<string, number>>> {
  await session.send('Performance.enable')
  const { metrics } = await session.send('Performance.getMetrics')
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]))
}

/** The functions that took most of the time, as lines of text. */
export async function hottest(session: CDPSession, durationMs: number): Promise<readonly string[]> {
  await session.send('Profiler.enable')
  await session.send('Profiler.start')
  await new Promise((resolve) => setTimeout(resolve, durationMs))
  const { profile } = await session.send('Profiler.stop')
  const names = new Map(
    profile.nodes.map(({ id, callFrame: { functionName, lineNumber, columnNumber } }) => [
      id,
      `${functionName || '(unnamed)'} ${lineNumber}:${columnNumber}`,
    ]),
  )
  const spent = new Map<string, number>()
  let total = 0
  profile.samples?.forEach((id, at) => {
    const name = names.get(id) ?? '?'
    const micros = profile.timeDeltas?.[at] ?? 0
    spent.set(name, (spent.get(name) ?? 0) + micros)
    total += micros
  })
  return [...spent]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 15)
    .map(([name, micros]) => `${((micros / total) * 100).toFixed(1).padStart(5)} %  ${name}`)
}
