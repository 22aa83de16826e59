/** Colours by meaning; each reads on white and on black paper. */
const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 15px; font-weight: 600 }
  .small { font-size: 11px; fill: #59636e }
  .axis { stroke: #d1d9e0 }
  .goal { stroke: #1f2328; stroke-width: 1.5 }
  .c0 { fill: #2563eb; stroke: #2563eb }
  .c1 { fill: #9aa4b2; stroke: #9aa4b2 }
  .c2 { fill: #d97706; stroke: #d97706 }
  .c3 { fill: #0f9d76; stroke: #0f9d76 }
  .line { fill: none; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .small { fill: #9198a1 }
    .axis { stroke: #3d444d }
    .goal { stroke: #e6edf3 }
    .c0 { fill: #60a5fa; stroke: #60a5fa }
    .c1 { fill: #6e7681; stroke: #6e7681 }
    .c2 { fill: #f59e0b; stroke: #f59e0b }
    .c3 { fill: #34d399; stroke: #34d399 }
  }
`

/** One of the four colours. */
export type Colour = 0 | 1 | 2 | 3

export function document(width: number, height: number, title: string, parts: string[]): string {
  const box = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${box} role="img" aria-label="${escaped(title)}">`,
    `<style>${STYLE}</style>`,
    text(0, 18, title, 'title'),
    ...parts,
    '</svg>\n',
  ].join('\n')
}

export function text(x: number, y: number, value: string, style = '', anchor = 'start'): string {
  const place = `x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"`
  return `<text ${place} class="${style}">${escaped(value)}</text>`
}

export function bar(x: number, y: number, width: number, height: number, colour: Colour): string {
  const size = `width="${round(Math.max(width, 1))}" height="${round(height)}"`
  return `<rect x="${round(x)}" y="${round(y)}" ${size} rx="2" class="c${colour}"/>`
}

export function rule(x1: number, y1: number, x2: number, y2: number, style = 'axis'): string {
  const ends = `x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"`
  return `<line ${ends} class="${style}"/>`
}

export function polyline(points: readonly (readonly [number, number])[], colour: Colour): string {
  const places = points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ')
  const dots = points.map(
    ([x, y]) => `<circle cx="${round(x)}" cy="${round(y)}" r="3" class="c${colour}"/>`,
  )
  return [`<polyline points="${places}" class="line c${colour}" style="fill:none"/>`, ...dots].join(
    '\n',
  )
}

/** Names of the colours, side by side. */
export function legend(
  x: number,
  y: number,
  names: readonly (readonly [string, Colour])[],
): string {
  const parts: string[] = []
  let at = x
  for (const [name, colour] of names) {
    parts.push(bar(at, y - 9, 10, 10, colour), text(at + 15, y, name, 'small'))
    at += 30 + name.length * 6.5
  }
  return parts.join('\n')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
