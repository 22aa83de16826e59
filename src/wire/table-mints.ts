import { isObject } from './requests/json-body.ts'

/** Mints of a table answer, read back out of its text. */
export function mintsOfTables(json: string): Set<string> {
  const mints = new Set<string>()
  const tables: unknown = JSON.parse(json)
  if (!isObject(tables)) return mints
  for (const rows of Object.values(tables)) {
    if (!Array.isArray(rows)) continue
    for (const row of rows) if (isObject(row) && typeof row.mint === 'string') mints.add(row.mint)
  }
  return mints
}
