import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const TRIES = 50
const PAUSE_MS = 100

/**
 * Removes a folder. A compactor outlives a killed program for a moment, and writes; `maxRetries` would not see
 * what it has written since the folder was listed.
 */
export async function removedFolder(folder: string): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      return rmSync(folder, { recursive: true, force: true })
    } catch (error) {
      if (tries === TRIES) throw error
      await sleep(PAUSE_MS)
    }
}
