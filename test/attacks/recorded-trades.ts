import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { swapMessage } from '../crash/json.ts'
import type { Victim } from './attack.ts'

const RECORDED_MS = 1000

/** A mint, and the message about one of its trades. */
export type Trade = readonly [mint: string, message: string]

/** What the service tells of its victim's mints in a second: what the floor tells each second. */
export async function recordedTrades({ port, mints }: Victim): Promise<readonly Trade[]> {
  const trades: Trade[] = []
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws?id=recorder`)
  socket.on('open', () => {
    const data = { action: 'subscribe', id: 'recorder', mints }
    socket.send(JSON.stringify({ event: 'update_mint_info', data }))
  })
  socket.on('message', (data) => {
    const text = data.toString()
    const message: unknown = JSON.parse(text)
    if (swapMessage.Check(message)) trades.push([message.data.mint, text])
  })
  await pause(RECORDED_MS)
  socket.terminate()
  return trades
}
