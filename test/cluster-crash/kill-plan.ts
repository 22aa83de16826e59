import type { Random } from '../../src/base/random.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { ServerProcess } from '../process/server-process.ts'

/** What happens to a cluster in one round. */
export interface KillPlan {
  readonly name: string
  readonly victims: readonly ServerProcess[]
  /** `pause`: they stand still, with their sockets open. `twice`: they are killed again while they start. */
  readonly how: 'kill' | 'pause' | 'twice'
  /** Until they are started again, or go on, in ms. */
  readonly awayMs: number
}

const STREAM = 'mintfeed'

/** Any one process in half of the rounds; in the others what is harder to survive. */
export async function planKill(
  random: Random,
  cluster: Cluster,
  awayMsMax: number,
): Promise<KillPlan> {
  const { nats, sequencers, replicas, members } = cluster
  const awayMs = random.below(awayMsMax)
  const plan = (
    name: string,
    victims: readonly ServerProcess[],
    how: KillPlan['how'] = 'kill',
  ) => ({
    name: `${name}: ${victims.map((victim) => victim.name).join(', ')}`,
    victims,
    how,
    awayMs,
  })
  switch (random.below(16)) {
    case 0:
    case 1:
      return plan("kill the stream's leader", [await nats.leader(STREAM)])
    case 2:
      return plan('kill all sequencers', sequencers)
    case 3:
      return plan('kill a sequencer and a nats-server', [
        random.pick(sequencers),
        random.pick(nats.servers),
      ])
    case 4:
      return plan('kill a replica and a nats-server', [
        random.pick(replicas),
        random.pick(nats.servers),
      ])
    case 5:
      return plan('kill all nats-servers', nats.servers)
    case 6:
      return plan('hold', [random.pick(members)], 'pause')
    case 7:
      return plan('kill twice', [random.pick([...sequencers, ...replicas])], 'twice')
    default:
      return plan('kill', [random.pick(members)])
  }
}
