import { expect, test } from 'vitest'
import { newConnection } from '../../../../src/server/live/connection/connection.ts'
import { Topics } from '../../../../src/server/live/hub/topics.ts'
import { SILENT_OUTLET } from '../../silent-outlet.ts'

test('the keys of a channel are those that have followers, as many as are asked for', () => {
  const app = { ws: () => {}, publish: () => {} }
  const topics = new Topics(
    app,
    () => {},
    () => {},
  )
  const about = { id: 'me', isLocal: false, client: '9.9.9.9', isSocket: true, load: null }
  const connection = newConnection({ ...about, socket: SILENT_OUTLET }, 0, 1000)
  for (const mint of ['a', 'b', 'c']) topics.join(connection, `update_mint_info/${mint}`)
  topics.join(connection, 'wallet_trades/d')
  topics.leave(connection, 'update_mint_info/a')
  expect(topics.keysOf('update_mint_info', 10)).toEqual(['b', 'c'])
  expect(topics.keysOf('update_mint_info', 1)).toEqual(['b'])
  expect(topics.keysOf('candles', 10)).toEqual([])
})
