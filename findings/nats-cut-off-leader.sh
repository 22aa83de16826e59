#!/bin/sh
# nats-server 2.10.27 (Debian 13), three of them, a stream of three copies; @nats-io/jetstream 3.4.0.
#
# The leader of a stream whose two other servers give no sign of life (here they are stopped; a cut network does the same) goes
# on answering what the stream is: for some 20 s it names itself as leader, and for 10 s both others as `current`, though it
# stores nothing any more. Its newest sequence does not grow, so who follows there believes to have everything. Of a cut network the
# others choose another leader meanwhile and go on. Only `active`, the time since each other server was heard (nanoseconds),
# tells: it is below 2 s in a cluster that is whole.
#
# Seen: at 1 to 9 s leader n3, current true and true, active as old as the stop, publishes time out; from 10 s on current
# false; from 21 s on no leader. Wants `nats-server` 2.10 in NATS_SERVER or PATH. Exits 1 if the leader tells it within 5 s.
set -eu
server=${NATS_SERVER:-$(command -v nats-server-2.10 || command -v nats-server)}
folder=$(mktemp -d)
pids=
trap 'kill -CONT $pids 2> /dev/null || true; kill $pids 2> /dev/null || true; wait; rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > npm.log
npm install --ignore-scripts --no-audit --no-fund @nats-io/transport-node@3.4.0 @nats-io/jetstream@3.4.0 >> npm.log 2>&1
port=$((20000 + $$ % 5000))
routes="nats://127.0.0.1:$((port + 11)),nats://127.0.0.1:$((port + 12)),nats://127.0.0.1:$((port + 13))"
for n in 1 2 3; do
  printf 'jetstream { store_dir: "%s/%s" }\n' "$folder" "$n" > "$n.conf"
  "$server" -c "$n.conf" --name "n$n" -a 127.0.0.1 -p $((port + n)) --cluster_name c \
    --cluster "nats://127.0.0.1:$((port + 10 + n))" --routes "$routes" > "$n.log" 2>&1 &
  pids="$pids $!"
done
cat > look.cjs << 'JS'
const { connect } = require('@nats-io/transport-node')
const { jetstream, jetstreamManager } = require('@nats-io/jetstream')
const [port, ...pids] = process.argv.slice(2).map(Number)
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
async function main() {
  const all = await connect({ servers: [1, 2, 3].map((n) => `127.0.0.1:${port + n}`), waitOnFirstConnect: true })
  let manager
  for (;;)
    try {
      manager = await jetstreamManager(all)
      await manager.streams.add({ name: 's', subjects: ['s'], num_replicas: 3 })
      break
    } catch { await pause(250) }
  let leader
  for (;;) { leader = (await manager.streams.info('s')).cluster.leader; if (leader) break; await pause(200) }
  const n = Number(leader.slice(1))
  await jetstream(all).publish('s', 'x')
  await all.close()
  const one = await connect({ servers: `127.0.0.1:${port + n}`, pingInterval: 60_000 })
  const asked = await jetstreamManager(one, { timeout: 900 })
  for (let i = 0; i < 3; i++) if (i !== n - 1) process.kill(pids[i], 'SIGSTOP')
  const start = Date.now()
  for (;;) {
    await pause(1000)
    const seconds = Math.round((Date.now() - start) / 1000)
    const { cluster } = await asked.streams.info('s')
    const stored = await jetstream(one).publish('s', 'y', { timeout: 300 }).then(() => true, () => false)
    const others = cluster.replicas.map(({ current, active }) => `current ${current}, heard ${(active / 1e9).toFixed(1)} s ago`)
    console.log(`${seconds} s: leader ${cluster.leader ?? 'none'}; ${others.join('; ')}; publish ${stored ? 'stored' : 'not stored'}`)
    const isBlind = cluster.leader === leader && cluster.replicas.every(({ current }) => current) && !stored
    if (!isBlind || seconds >= 5) {
      await one.close()
      return isBlind
    }
  }
}
main().then((isBlind) => process.exit(isBlind ? 0 : 1))
JS
node look.cjs "$port" $pids
