import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'

/** `any`: whatever there is, which may be old. `cluster`: syncs each write, which servers do since 2.10. */
export type NatsVersion = 'any' | 'cluster'

const MINTFEED_NATS_SERVER = process.env.MINTFEED_NATS_SERVER ?? ''
/** The second name is that of a newer one beside the system's own, as .ci/run installs it. */
const NAMES: Readonly<Record<NatsVersion, readonly string[]>> = {
  any: ['nats-server', 'nats-server-2.10'],
  cluster: ['nats-server-2.10', 'nats-server'],
}
const SYNCS_SINCE = [2, 10] as const

/** The path of a nats-server: MINTFEED_NATS_SERVER, else of PATH; null, and a sentence, where there is none. */
export function natsServer(version: NatsVersion = 'any'): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const onPath = NAMES[version].flatMap((name) => folders.map((folder) => join(folder, name)))
  const paths = MINTFEED_NATS_SERVER === '' ? onPath : [MINTFEED_NATS_SERVER]
  const found = paths.find((path) => fits(path, version))
  if (found !== undefined) return found
  const needed = version === 'any' ? 'nats-server' : 'nats-server of 2.10 or newer'
  console.log(
    `There is no ${needed} here (PATH, MINTFEED_NATS_SERVER): tests with ${version === 'any' ? 'one' : 'three'} of them are skipped.`,
  )
  return null
}

/** Does this server know `sync_interval: always`? */
export function syncsAlways(path: string): boolean {
  const [major, minor] = versionOf(path) ?? [0, 0]
  return major > SYNCS_SINCE[0] || (major === SYNCS_SINCE[0] && minor >= SYNCS_SINCE[1])
}

function fits(path: string, version: NatsVersion): boolean {
  return version === 'any' ? versionOf(path) !== null : syncsAlways(path)
}

function versionOf(path: string): readonly [number, number] | null {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  const [, major, minor] = /v(\d+)\.(\d+)\./.exec(stdout ?? '') ?? []
  return major === undefined || minor === undefined ? null : [Number(major), Number(minor)]
}
