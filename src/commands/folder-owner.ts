import fs from 'node:fs'
import { join } from 'node:path'
import { GIVEN_UP } from './inspect.ts'

/**
 * Gives what root has made in another user's data folder to that one: the service could not open it. (To
 * work as that user from the beginning is no way: the folder may lie in one that root alone may enter.)
 */
export function giveToOwner(folder: string): void {
  if (process.geteuid?.() !== 0) return
  try {
    const { uid, gid } = fs.statSync(folder)
    if (uid === 0) return
    for (const path of madeByRoot(folder)) fs.lchownSync(path, uid, gid)
  } catch {
    // This root may not: the service says which file it cannot open.
  }
}

function madeByRoot(folder: string): string[] {
  return fs.readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    const stat = fs.lstatSync(path)
    const isOfRoot = stat.uid === 0
    if (stat.isDirectory())
      return name.startsWith(GIVEN_UP) ? [...(isOfRoot ? [path] : []), ...madeByRoot(path)] : []
    // A file with another name somewhere may be one that root keeps from this user.
    return isOfRoot && stat.isFile() && stat.nlink === 1 ? [path] : []
  })
}
