#!/bin/sh
# nats-server 2.10.27 (Debian 13), three of them, a stream of three copies; @nats-io/jetstream 3.4.0.
#
# A publish that carries Nats-Expected-Last-Subject-Sequence is to be stored only where the newest message of its subject
# has that sequence. With several publishes under way a cluster checks this when a message is proposed, against what is
# under way as well, and not again when it is stored: a message is stored although the one that it names is of another
# subject. So writers with a subject each, which pipeline their messages as a chain, are not kept apart: a link is stored
# behind another writer's. An expected last message id (Nats-Expected-Last-Msg-Id) is checked when it is stored; so is
# one message under way at a time.
#
# Seen within 15 s, three writers that race with 16 messages under way: 4 to 6 of 5,500 messages. Wants `nats-server` 2.10
# in NATS_SERVER or PATH. Exits 1 if a minute brings none.
set -eu
server=${NATS_SERVER:-$(command -v nats-server-2.10 || command -v nats-server)}
folder=$(mktemp -d)
pids=
trap 'kill $pids 2> /dev/null || true; wait; rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > npm.log
npm install --ignore-scripts --no-audit --no-fund @nats-io/transport-node@3.4.0 @nats-io/jetstream@3.4.0 >> npm.log 2>&1
port=$((20000 + $$ % 5000))
routes="nats://127.0.0.1:$((port + 11)),nats://127.0.0.1:$((port + 12)),nats://127.0.0.1:$((port + 13))"
for n in 1 2 3; do
  printf 'jetstream { store_dir: "%s/%s", sync_interval: always }\n' "$folder" "$n" > "$n.conf"
  "$server" -c "$n.conf" --name "n$n" -a 127.0.0.1 -p $((port + n)) --cluster_name c \
    --cluster "nats://127.0.0.1:$((port + 10 + n))" --routes "$routes" > "$n.log" 2>&1 &
  pids="$pids $!"
done
cat > look.cjs << 'JS'
const { connect } = require('@nats-io/transport-node')
const { jetstream, jetstreamManager } = require('@nats-io/jetstream')

const port = Number(process.argv[2])
const servers = [1, 2, 3].map((n) => `127.0.0.1:${port + n}`)
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const UNDER_WAY = 16

async function write(name, state) {
  const connection = await connect({ servers })
  const manager = await jetstreamManager(connection)
  for (let chain = 0; !state.isOver; chain++) {
    const last = (await manager.streams.info('s')).state.last_seq
    await pause(Math.random() * 4)
    const publishes = Array.from({ length: UNDER_WAY }, (_, link) => {
      const lastSequence = last + link
      const expect = { lastSequence, lastSubjectSequence: link === 0 ? 0 : lastSequence }
      const text = JSON.stringify({ chain: `${name}${chain}`, link })
      return jetstream(connection).publish(`s.${name}${chain}`, text, { expect }).catch(() => {})
    })
    await Promise.all(publishes)
  }
  await connection.close()
}

async function main() {
  const connection = await connect({ servers, waitOnFirstConnect: true })
  let manager
  for (;;)
    try {
      manager = await jetstreamManager(connection)
      await manager.streams.add({ name: 's', subjects: ['s.*'], num_replicas: 3 })
      break
    } catch {
      await pause(200)
    }
  const state = { isOver: false }
  const writers = ['a', 'b', 'c'].map((name) => write(name, state))
  let [before, read, broken] = [{}, 0, 0]
  const consumer = await jetstream(connection).consumers.get('s')
  setTimeout(() => { state.isOver = true }, 60_000)
  const messages = await consumer.consume()
  setTimeout(() => messages.close(), 62_000)
  for await (const message of messages) {
    const own = message.json()
    read += 1
    if (own.link > 0 && (own.chain !== before.chain || own.link !== before.link + 1)) {
      broken += 1
      console.log(`${message.seq} names ${message.seq - 1} as the newest of its subject ${own.chain}; that is of ${before.chain}`)
      state.isOver = true
      messages.close()
    }
    before = own
  }
  await Promise.all(writers)
  console.log(`${broken} of ${read} messages stand behind another writer's`)
  process.exit(broken > 0 ? 0 : 1)
}

main()
JS
node look.cjs "$port" 2> node.log || { cat node.log; exit 1; }
