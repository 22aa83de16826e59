/** `make cluster-kill`: ends one of the processes of `make cluster` by SIGKILL, NAME or any. */
import { clusterFolder, readPids } from './pids.ts'

const pids = readPids(clusterFolder())
const members = Object.entries(pids?.members ?? {})
const asked = process.env.NAME || members[Math.floor(Math.random() * members.length)]?.[0]
const [name, pid] = members.find(([each]) => each === asked) ?? []
if (pid === undefined) {
  const names = members.map(([each]) => each).join(', ')
  const lack =
    pids === null
      ? 'No cluster runs here: make cluster starts one.'
      : `There is no ${asked}: ${names}.`
  process.stderr.write(`mintfeed: ${lack}\n`)
  process.exitCode = 1
} else {
  process.kill(pid, 'SIGKILL')
  process.stdout.write(`mintfeed: killed ${name}\n`)
}
