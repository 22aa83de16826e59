import { basename, isAbsolute, join, resolve, sep } from 'node:path'

/**
 * A sentence as strangers may read it: where things lie on this machine is for its operator. What lies in
 * the data folder is said to lie in DATA_DIR, other files have their names only.
 */
export function redactPaths(
  sentence: string,
  dataDir: string | null,
  files: readonly string[],
): string {
  const named = files.reduce((shown, file) => shown.replaceAll(file, basename(file)), sentence)
  if (dataDir === null) return named
  // A relative one may be a plain word: it is surely the folder only in front of what lies in it.
  if (!isAbsolute(dataDir)) return named.replaceAll(join(dataDir, sep), `DATA_DIR${sep}`)
  return named.replaceAll(resolve(dataDir), 'DATA_DIR').replaceAll(dataDir, 'DATA_DIR')
}
