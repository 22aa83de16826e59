#!/bin/sh
# undici 6.22.0, which is the EventSource of Node 22 (--experimental-eventsource), beside undici 7.16.0 and eventsource 4.0.0.
#
# A stream ends, and the first attempt to come back is refused, as while a server is started anew. undici 6 never comes
# back then: the stream is closed for good, and at each of its error events readyState still reads CONNECTING (0), so
# that a handler that looks for CLOSED there never sees it. The other two try again until the server is there.
#
# Seen, with a server that is away for 0.6 s and "retry: 200": undici 6 is CLOSED (2) after one request, the others
# are OPEN (1) after two. Exits 1 if that has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > npm.log
npm install --ignore-scripts --no-audit --no-fund undici-6@npm:undici@6.22.0 undici-7@npm:undici@7.16.0 \
  eventsource@4.0.0 >> npm.log 2>&1
cat > look.mjs << 'JS'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as after } from 'node:timers/promises'

async function follow(name) {
  const { EventSource } = await import(name)
  let requests = 0
  const begin = async (port) => {
    const server = createServer((_, response) => {
      requests += 1
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('retry: 200\n\nid: 1\ndata: hello\n\n')
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  const end = (server) => {
    server.closeAllConnections()
    server.close()
  }
  const first = await begin(0)
  const { port } = first.address()
  const source = new EventSource(`http://127.0.0.1:${port}/`)
  const told = []
  source.onerror = () => told.push(source.readyState)
  await after(400)
  end(first)
  await after(600)
  const second = await begin(port)
  await after(2000)
  const state = source.readyState
  source.close()
  end(second)
  console.log(`${name}: readyState ${state}, requests ${requests}, readyState at errors: ${told.join(' ')}`)
  return { state, requests, told }
}

const six = await follow('undici-6')
const others = [await follow('undici-7'), await follow('eventsource')]
const isSame =
  six.state === 2 &&
  six.requests === 1 &&
  six.told.every((state) => state === 0) &&
  others.every(({ state, requests }) => state === 1 && requests === 2)
process.exit(isSame ? 0 : 1)
JS
node look.mjs 2> node.log || { cat node.log; exit 1; }
