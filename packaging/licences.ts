/** The licences of all packages of the lock file; ends with 1 when one is not permissive. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const PERMISSIVE = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
  'MIT OR Apache-2.0',
  'Apache-2.0 OR MIT',
])
/** Not permissive, but for the build machine alone and not changed: a file-level copyleft. */
const TOLERATED_IN_DEVELOPMENT = new Set(['MPL-2.0'])

interface LockedPackage {
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
}

const lock: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
  readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
)
const packages = Object.entries(lock.packages).filter(([path]) => path !== '')
const counts = new Map<string, number>()
const refused: string[] = []
for (const [path, { version, license, dev }] of packages) {
  const licence = license ?? 'not told'
  counts.set(licence, (counts.get(licence) ?? 0) + 1)
  const isFine = PERMISSIVE.has(licence) || (dev === true && TOLERATED_IN_DEVELOPMENT.has(licence))
  if (!isFine) refused.push(`${path.replace(/^.*node_modules\//, '')} ${version}: ${licence}`)
}
for (const [licence, count] of [...counts].sort((a, b) => b[1] - a[1]))
  process.stdout.write(`${String(count).padStart(5)}  ${licence}\n`)
for (const line of refused) process.stdout.write(`not permissive: ${line}\n`)
process.exit(refused.length === 0 ? 0 : 1)
