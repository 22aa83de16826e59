/** Green for a gain, red for a loss, the plain colour for neither, and for what is not known. */
export function signClass(value: number): 'up' | 'down' | '' {
  if (value < 0) return 'down'
  return value > 0 ? 'up' : ''
}
