import type { Receiver } from '../../src/feeds/supervisor/source.ts'

/** Hears everything that a source tells, and does nothing about it. */
export const SILENT_RECEIVER: Receiver = {
  connected: () => {},
  alive: () => {},
  slotsIncomplete: () => {},
  admits: () => true,
  slotSeen: () => {},
  events: () => {},
  transaction: () => {},
  slotComplete: () => {},
}
