import { expect, test } from 'vitest'
import { newConnection } from '../../../../src/server/live/connection/connection.ts'
import { Topics } from '../../../../src/server/live/hub/topics.ts'
import { SILENT_OUTLET } from '../../silent-outlet.ts'

const nothing = () => {}

test.each(['angry toad', '怒れる蛙'])('a frame with %s counts its bytes', (name) => {
  const counted: number[] = []
  const topics = new Topics({ publish: nothing }, (_, bytes) => counted.push(bytes), nothing)
  const about = { id: '', isLocal: false, client: '', isSocket: true, load: null }
  topics.join(newConnection({ ...about, socket: SILENT_OUTLET }, 0, 1), 'a')
  topics.publish('a', name)
  expect(counted).toEqual([Buffer.byteLength(name)])
})
