import fs from 'node:fs'
import { join } from 'node:path'

/** Paths of the files of a folder that start so, ascending. */
export function filesOf(folder: string, start: string): string[] {
  return fs
    .readdirSync(folder)
    .filter((name) => name.startsWith(start))
    .sort()
    .map((name) => join(folder, name))
}

/** Everything in a folder, by name: what must not change. */
export function contentsOf(folder: string): Record<string, string> {
  const names = fs.readdirSync(folder).filter((name) => fs.statSync(join(folder, name)).isFile())
  return Object.fromEntries(
    names.map((name) => [name, fs.readFileSync(join(folder, name)).toString('base64')]),
  )
}

/** The files of a folder and of those in it, with their bytes. */
export function treeOf(folder: string): Record<string, string> {
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  const files = names.filter((name) => fs.statSync(join(folder, name)).isFile())
  return Object.fromEntries(
    files.map((name) => [name, fs.readFileSync(join(folder, name)).toString('base64')]),
  )
}

/** Turns one byte of a file over. */
export function flipByte(path: string, byte: number): void {
  const bytes = fs.readFileSync(path)
  bytes[byte] ^= 0xff
  fs.writeFileSync(path, bytes)
}
