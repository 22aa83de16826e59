import { join } from 'node:path'
import { expect } from 'vitest'
import { ask } from '../commands/folders.ts'
import { treeOf } from '../data-files.ts'
import { newFolder } from '../new-folder.ts'

/** Exports into a folder of its own, which is returned. */
export async function exported(folder: string, what: string, ...flags: string[]): Promise<string> {
  const out = join(newFolder(), 'out')
  const asked = await exportInto(out, folder, what, ...flags)
  expect(asked).toMatchObject({ code: 0, output: '' })
  return out
}

export function exportInto(out: string, folder: string, what: string, ...flags: string[]) {
  const given = ['--format', 'parquet', '--what', what, '--out', out]
  return ask('export', '--data-dir', folder, ...given, ...flags)
}

/** Paths of the files that are whole. */
export const parquetsOf = (out: string) =>
  Object.keys(treeOf(out)).filter((name) => name.endsWith('.parquet'))
