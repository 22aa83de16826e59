import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import type { ServerProcess } from '../process/server-process.ts'

/** Which processes a cluster has now: `make cluster` writes it, `make cluster-kill` reads it. */
export interface Pids {
  /** Of `make cluster` itself. */
  readonly cluster: number
  /** By name, those that run. */
  readonly members: Readonly<Record<string, number>>
}

const pidsText = Compile(
  Type.Object({
    cluster: Type.Integer({ minimum: 2 }),
    members: Type.Record(Type.String(), Type.Integer({ minimum: 2 })),
  }),
)
const FILE = 'pids.json'

/** DATA_DIR, else one below the system's folder for temporary files. */
export function clusterFolder(): string {
  return resolve(process.env.DATA_DIR || join(tmpdir(), 'mintfeed-cluster'))
}

/** Null where no cluster runs in a folder. */
export function readPids(folder: string): Pids | null {
  try {
    const pids: unknown = JSON.parse(readFileSync(join(folder, FILE), 'utf8'))
    return pidsText.Check(pids) && isAlive(pids.cluster) ? pids : null
  } catch {
    return null
  }
}

export function writePids(folder: string, members: readonly ServerProcess[]): void {
  const running = members.flatMap(({ name, pid }) => (pid === null ? [] : [[name, pid] as const]))
  const pids: Pids = { cluster: process.pid, members: Object.fromEntries(running) }
  const file = join(folder, FILE)
  // Who reads it meanwhile reads the one before.
  writeFileSync(`${file}.new`, JSON.stringify(pids))
  renameSync(`${file}.new`, file)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
