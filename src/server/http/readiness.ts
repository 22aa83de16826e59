/** The answer of `/readyz`; that of the admin port has paths in its reason. */
export interface Readiness {
  readonly statusCode: 200 | 503
  readonly fields: Readonly<Record<string, number | string | null>>
}

/** Figures lie beside `status`, `reason` and `notice`, which no figure can hide. */
export function readinessOf(
  reason: string | null,
  figures: Readonly<Record<string, number>>,
  notice: string | null = null,
): Readiness {
  const status = reason === null ? 'ready' : 'not ready'
  return { statusCode: reason === null ? 200 : 503, fields: { ...figures, status, reason, notice } }
}
