import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export interface SourceFile {
  /** From the root, with slashes. */
  readonly path: string
  readonly text: string
  /** Paths of the project's own files it imports, types included. */
  readonly imports: readonly string[]
}

/** Every TypeScript file below a folder. */
export function sourceFiles(folder: string): SourceFile[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => {
      const path = relative(ROOT, join(ROOT, folder, name)).replaceAll('\\', '/')
      const text = readFileSync(join(ROOT, path), 'utf8')
      return { path, text, imports: importsOf(path, text) }
    })
}

function importsOf(path: string, text: string): string[] {
  const found = [
    ...text.matchAll(/^(?:import|export)[^'"]*from '(\.[^']+)'/gm),
    ...text.matchAll(/\bimport\('(\.[^']+)'\)/g),
  ]
  return found.map(([, target]) =>
    relative(ROOT, join(ROOT, dirname(path), target)).replaceAll('\\', '/'),
  )
}
