import { isAllowed, roomOf } from './rooms.ts'
import { type SourceFile, sourceFiles } from './source-files.ts'

/** How the source is built, counted. */
export interface Structure {
  readonly files: number
  readonly lines: number
  /** Names that some file exports. */
  readonly exportedNames: number
  /** Classes, interfaces and type aliases, exported or not. */
  readonly types: number
  /** The folder with the most files side by side. */
  readonly biggestFolder: string
  readonly biggestFolderFiles: number
  /** Each as paths joined by arrows. */
  readonly fileCycles: readonly string[]
  readonly folderCycles: readonly string[]
  /** Imports that no arrow of ARROWS allows, `room → room`, with the number of imports. */
  readonly forbidden: Readonly<Record<string, number>>
}

const EXPORTED =
  /^export (?:default )?(?:declare )?(?:async )?(?:abstract )?(?:function\*?|class|const|let|interface|type|enum) +(\w+)/gm
const EXPORT_LIST = /^export (?:type )?\{([^}]*)\}/gm
const TYPE =
  /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface) +\w+|^(?:export )?type +\w+[^=\n]*=/gm

export function structure(files: readonly SourceFile[] = sourceFiles('src')): Structure {
  const folders = new Map<string, number>()
  for (const { path } of files) {
    const folder = path.split('/').slice(0, -1).join('/')
    folders.set(folder, (folders.get(folder) ?? 0) + 1)
  }
  const [biggestFolder, biggestFolderFiles] = [...folders].sort((a, b) => b[1] - a[1])[0]
  return {
    files: files.length,
    lines: files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0),
    exportedNames: files.reduce((sum, { text }) => sum + exportedNames(text), 0),
    types: files.reduce((sum, { text }) => sum + [...text.matchAll(TYPE)].length, 0),
    biggestFolder,
    biggestFolderFiles,
    fileCycles: cyclesOf(new Map(files.map(({ path, imports }) => [path, imports]))),
    folderCycles: cyclesOf(folderImports(files)),
    forbidden: forbiddenArrows(files),
  }
}

function exportedNames(text: string): number {
  const lists = [...text.matchAll(EXPORT_LIST)].flatMap(([, names]) =>
    names.split(',').filter((name) => name.trim() !== ''),
  )
  return [...text.matchAll(EXPORTED)].length + lists.length
}

/** Imports that no arrow allows, one a line: for the one who ends them. */
export function forbiddenImports(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, imports }) =>
    imports
      .filter((target) => !isAllowed(roomOf(path), target))
      .map((target) => `${path} imports ${target}`),
  )
}

function forbiddenArrows(files: readonly SourceFile[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { path, imports } of files)
    for (const target of imports) {
      if (isAllowed(roomOf(path), target)) continue
      const arrow = `${roomOf(path)} → ${roomOf(target)}`
      counts[arrow] = (counts[arrow] ?? 0) + 1
    }
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Which folders a folder imports from, without itself. */
function folderImports(files: readonly SourceFile[]): Map<string, string[]> {
  const folders = new Map<string, string[]>()
  for (const { path, imports } of files) {
    const room = roomOf(path)
    const others = imports.map(roomOf).filter((other) => other !== room)
    folders.set(room, [...new Set([...(folders.get(room) ?? []), ...others])])
  }
  return folders
}

/** Every cycle of imports that a walk in depth comes to, as names joined by arrows. */
export function cyclesOf(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (name: string, way: readonly string[]): void => {
    const at = way.indexOf(name)
    if (at >= 0) cycles.push([...way.slice(at), name].join(' → '))
    if (at >= 0 || done.has(name)) return
    for (const target of imports.get(name) ?? []) visit(target, [...way, name])
    done.add(name)
  }
  for (const name of imports.keys()) visit(name, [])
  return cycles
}
