import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../base/errors.ts'
import { count } from '../commands/command.ts'
import { bad, type Finding, good, warn } from '../commands/folder-checks.ts'
import type { StreamSetting } from '../config/stream-settings.ts'
import { NatsStream } from '../stream/nats-stream.ts'

const NATS = 'nats'
const MESSAGE_BYTES = 1 << 20
/** The first version that can have a message on the disk before it says that it is stored. */
const SYNCS_SINCE = [2, 10] as const
/** More than answers on the way explain. */
const CLOCK_MS_MAX = 1_000
/** A stream may be so long past its age: servers expire now and then. */
const EXPIRY_SLACK_MS = 60_000
const COMFORTABLE_ROOM_BYTES = 4 << 30
/** A copy that is a moment behind is no finding: it is looked at again so often. */
const LOOKS = 4
const LOOK_AGAIN_MS = 500

type Server = Awaited<ReturnType<NatsStream['serverFacts']>> & { readonly name: string }

/** What a replica (FEED=nats) or a sequencer would meet at the servers of NATS_URL; asks each, and changes nothing. */
export async function checkStream(setting: StreamSetting, isSequencer: boolean) {
  const servers: Server[] = []
  const away: { readonly name: string; readonly reason: string }[] = []
  const found: Awaited<ReturnType<NatsStream['details']>>[] = []
  let unasked: string | null = null
  const ask = async (name: string) => {
    let stream: NatsStream | null = null
    try {
      stream = await NatsStream.connect({ ...setting, servers: [name] }, 'doctor')
      const server = { name, ...(await stream.serverFacts()) }
      servers.push(server)
      if (server.hasJetStream) found.push(await detailsOf(stream))
    } catch (error) {
      if (stream === null) away.push({ name, reason: messageOf(error) })
      else unasked = messageOf(error)
    } finally {
      await stream?.close()
    }
  }
  await Promise.all(setting.servers.map(ask))
  // With others there the service goes on.
  const level = servers.length === 0 ? bad : warn
  const findings = [
    ...away.map(({ name, reason }) => level(NATS, `${name}: ${reason}.`)),
    ...servers.map((server) => serverFinding(server, setting)),
    ...clusterFindings(servers),
    ...clockFindings(servers),
  ]
  if (!servers.some(({ hasJetStream }) => hasJetStream)) return findings
  const details = found.find((one) => one !== null) ?? null
  return [
    ...findings,
    ...(details === null
      ? [noStream(setting.name, unasked, isSequencer)]
      : streamFindings(details, setting, isSequencer)),
  ]
}

async function detailsOf(stream: NatsStream): ReturnType<NatsStream['details']> {
  for (let look = 1; ; look++) {
    const details = await stream.details()
    const isBehind = details?.followers.some(({ isCurrent }) => !isCurrent) ?? false
    if (!isBehind || look === LOOKS) return details
    await sleep(LOOK_AGAIN_MS)
  }
}

function serverFinding(server: Server, { replicas, servers }: StreamSetting): Finding {
  const { name, version, hasJetStream, messageBytesMax, roomBytes } = server
  const is = `${name} is nats-server ${version}`
  if (!hasJetStream)
    return bad(NATS, `${is} without JetStream: write "jetstream {}" into its configuration.`)
  if (messageBytesMax < MESSAGE_BYTES)
    return bad(
      NATS,
      `${is} and takes messages of ${count(messageBytesMax)} bytes at most: set max_payload to ${count(MESSAGE_BYTES)}.`,
    )
  if (!syncs(version) && (replicas > 1 || servers.length > 1))
    return bad(NATS, `${is}, whose clusters lose data: install 2.10 or newer.`)
  if (!syncs(version))
    return warn(
      NATS,
      `${is}, which says that a trade is stored up to two minutes before it is: install 2.10 or newer, for sync_interval: always.`,
    )
  if (roomBytes !== null && roomBytes < COMFORTABLE_ROOM_BYTES)
    return warn(NATS, `${is}; this login may store ${count(roomBytes)} bytes more: raise that.`)
  return good(NATS, `${is}, has JetStream, and takes the login.`)
}

function syncs(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > SYNCS_SINCE[0] || (major === SYNCS_SINCE[0] && minor >= SYNCS_SINCE[1])
}

/** Servers that do not know each other have a stream each. */
function clusterFindings(servers: readonly Server[]): Finding[] {
  const clusters = new Set(servers.map(({ cluster }) => cluster))
  if (servers.length < 2 || (clusters.size === 1 && !clusters.has(''))) return []
  return [
    bad(
      NATS,
      'The servers of NATS_URL are no cluster of one name: each would have a stream of its own.',
    ),
  ]
}

/** The clocks of the servers, and that of this machine. */
function clockFindings(servers: readonly Server[]): Finding[] {
  const about = 'nats clocks'
  const known = servers.flatMap(({ name, aheadMs }) => (aheadMs === null ? [] : { name, aheadMs }))
  if (known.length === 0)
    return servers.length === 0
      ? []
      : [warn(about, 'The servers do not tell their time (2.10 does).')]
  const all = [...known, { name: 'this machine', aheadMs: 0 }].sort((a, b) => a.aheadMs - b.aheadMs)
  const [first = all[0], last = all[0]] = [all.at(0), all.at(-1)]
  const apartMs = (last?.aheadMs ?? 0) - (first?.aheadMs ?? 0)
  const text = `${last?.name} is ${count(apartMs)} ms ahead of ${first?.name}`
  if (apartMs <= CLOCK_MS_MAX) return [good(about, `They agree: ${text}.`)]
  return [
    warn(about, `${text}: keep all by NTP, since each server expires messages by its own clock.`),
  ]
}

const ABOUT_STREAM = 'stream'

function noStream(name: string, unasked: string | null, isSequencer: boolean): Finding {
  if (unasked !== null) return bad(ABOUT_STREAM, `${name} cannot be asked: ${unasked}.`)
  if (isSequencer) return good(ABOUT_STREAM, `${name} is not there yet: this sequencer makes it.`)
  return warn(ABOUT_STREAM, `${name} is not there yet: start a sequencer, which makes it.`)
}

function streamFindings(
  details: NonNullable<Awaited<ReturnType<NatsStream['details']>>>,
  { replicas, keepMs }: StreamSetting,
  isSequencer: boolean,
): Finding[] {
  const { name, messages, first, last, bytes, firstAt, leader, followers } = details
  const findings: Finding[] = []
  const add = (level: typeof warn, says: string) => findings.push(level(ABOUT_STREAM, says))
  // Those of a replica's settings count for nobody.
  if (isSequencer && details.replicas !== replicas)
    add(
      warn,
      `${name} is on ${details.replicas} servers and NATS_REPLICAS is ${replicas}: nats stream edit ${name} --replicas ${replicas}.`,
    )
  if (isSequencer && details.keepMs !== keepMs)
    add(
      warn,
      `${name} keeps messages for ${count(details.keepMs / 1_000)} s and NATS_KEEP is ${count(keepMs / 1_000)} s: nats stream edit ${name} --max-age ${keepMs / 1_000}s.`,
    )
  const behind = followers.filter(({ isCurrent }) => !isCurrent).map((one) => one.name)
  if (leader === null && details.replicas > 1)
    add(bad, `${name} has no leader: a majority of its servers has to run and to reach each other.`)
  else if (behind.length > 0)
    add(
      warn,
      `${name} is not current on ${behind.join(', ')}: the loss of another server may stop it.`,
    )
  const ageMs = Date.now() - Date.parse(firstAt)
  if (messages > 0 && details.keepMs > 0 && ageMs > details.keepMs + EXPIRY_SLACK_MS)
    add(
      warn,
      `${name} still has message ${count(first)} of ${firstAt}, which is past its age: the clock of its leader is behind.`,
    )
  const holds = messages === 0 ? 'nothing yet' : `messages ${count(first)} to ${count(last)}`
  if (findings.length === 0)
    add(good, `${name} has ${holds}, ${count(bytes)} bytes on each of ${details.replicas} servers.`)
  return findings
}
