const WIDTH = 64
const HEIGHT = 20
const EDGE = 2

/** A line through values, oldest first; its colour says whether the last is below the first. */
export function Spark({
  values,
  label,
}: {
  readonly values: readonly number[]
  readonly label: string
}) {
  if (values.length < 2) return <svg class="spark" aria-hidden="true" />
  const isUp = values[values.length - 1] >= values[0]
  return (
    <svg
      class={isUp ? 'spark up' : 'spark down'}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path d={linePath(values, WIDTH, HEIGHT, EDGE)} />
    </svg>
  )
}

/** An SVG path through values over the whole width, highest at the top. */
export function linePath(
  values: readonly number[],
  width: number,
  height: number,
  edge: number,
): string {
  const low = Math.min(...values)
  const span = Math.max(...values) - low
  const step = width / (values.length - 1)
  return values
    .map((value, index) => {
      const part = span === 0 ? 0.5 : (value - low) / span
      const y = height - edge - part * (height - 2 * edge)
      return `${index === 0 ? 'M' : 'L'}${(index * step).toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}
