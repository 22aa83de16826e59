/**
 * How long the loop stands still when COUNT (18,000) live connections, each following 20 mints, go in
 * one moment: beside uWebSockets.js alone, in the same run. ROUNDS (3) of each; longest stall in ms.
 * `killed`: their process dies, so that the kernel closes all in one go; `reset`: one after the other.
 */

import { fork, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { NODE_FLAGS } from '../../bin/node-flags.js'
import { programPath } from '../../bin/program-path.js'
import { freePort } from '../process/free-port.ts'
import { ROOT } from '../tidy/source-files.ts'

const COUNT = Number(process.env.COUNT || 18_000)
const ROUNDS = Number(process.env.ROUNDS || 3)
const SETTLED_MS = 1500
const WATCHED_MS = 3000
const MS_PER_TICK = 10
const PROBE = join(ROOT, 'test/attacks/loop-probe.ts')
const STOOD_STILL = /^stood still for (\S+) ms$/

interface Measured {
  readonly stallMs: number
  readonly userMs: number
  readonly systemMs: number
}

const SERVERS: Readonly<Record<string, (port: string) => readonly string[]>> = {
  'uWebSockets.js alone': (port) => [join(ROOT, 'test/attacks/bare-server.ts'), port, 'none'],
  'the same with 20 topics each': (port) => [
    join(ROOT, 'test/attacks/bare-server.ts'),
    port,
    'topics',
  ],
  mintfeed: () => [...NODE_FLAGS, programPath()],
}

/** User and system time of a process so far, in ms. */
function timesMs(pid: number): readonly [number, number] {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return [Number(fields[11]) * MS_PER_TICK, Number(fields[12]) * MS_PER_TICK]
}

async function measured(args: readonly string[], port: string, way: string): Promise<Measured> {
  const env = {
    PATH: process.env.PATH ?? '',
    PORT: port,
    DATA_DIR: 'none',
    SIM_RATE: '1',
    SIM_TOKENS: '100',
  }
  const server = spawn(process.execPath, ['--import', PROBE, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stallMs = 0
  await new Promise<void>((resolve) => {
    createInterface({ input: server.stderr }).on('line', (line) => {
      stallMs = Math.max(stallMs, Number(STOOD_STILL.exec(line)?.[1] ?? 0))
      if (line.includes('"msg":"ready"')) resolve()
    })
  })
  const crowd = fork(join(ROOT, 'test/attacks/crowd-process.ts'), [port, String(COUNT)])
  await new Promise((resolve) => crowd.once('message', resolve))
  await pause(SETTLED_MS)
  stallMs = 0
  const pid = server.pid ?? 0
  const [userBefore, systemBefore] = timesMs(pid)
  if (way === 'killed') crowd.kill('SIGKILL')
  else crowd.send('reset')
  await pause(WATCHED_MS)
  const [user, system] = timesMs(pid)
  crowd.kill('SIGKILL')
  server.kill('SIGKILL')
  return { stallMs, userMs: user - userBefore, systemMs: system - systemBefore }
}

process.stdout.write(
  `${COUNT} connections gone at once\n| server | way | longest stall, ms | user ms | system ms |\n`,
)
process.stdout.write('| --- | --- | ---: | ---: | ---: |\n')
for (let round = 0; round < ROUNDS; round++)
  for (const way of ['killed', 'reset'])
    for (const [name, argsOf] of Object.entries(SERVERS)) {
      const port = String(await freePort())
      const { stallMs, userMs, systemMs } = await measured(argsOf(port), port, way)
      process.stdout.write(
        `| ${name} | ${way} | ${stallMs.toFixed(0)} | ${userMs} | ${systemMs} |\n`,
      )
    }
process.exit()
