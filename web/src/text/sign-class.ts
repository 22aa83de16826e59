/** Green for a gain, red for a loss, the plain colour for neither. */
export function signClass(value: number): 'up' | 'down' | '' {
  if (value === 0) return ''
  return value < 0 ? 'down' : 'up'
}
