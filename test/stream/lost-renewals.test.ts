import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LEASE_MS, Lease, type LeaseStore } from '../../src/stream/lease.ts'

/** One key with a revision, as a bucket has it. */
class Bucket implements LeaseStore {
  held: { readonly value: string; readonly revision: number } | null = null
  /** Answers are lost, though what was asked is done. */
  isSilent = false
  /** Answers come so late. */
  delayMs = 0
  #revisions = 0

  async create(value: string): Promise<number | null> {
    return this.#answer(this.held === null ? this.#put(value) : null)
  }

  async update(value: string, revision: number): Promise<number | null> {
    return this.#answer(this.held?.revision === revision ? this.#put(value) : null)
  }

  async remove(revision: number): Promise<void> {
    if (this.held?.revision === revision) this.held = null
  }

  async read() {
    return this.held
  }

  #put(value: string): number {
    this.held = { value, revision: ++this.#revisions }
    return this.#revisions
  }

  async #answer(answer: number | null): Promise<number | null> {
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs))
    if (this.isSilent) throw new Error('no answer')
    return answer
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a holder whose renewal was stored without an answer finds its own key again', async () => {
  const bucket = new Bucket()
  const lease = new Lease(bucket, 'one', () => performance.now())
  expect(await lease.take()).toBe(true)
  bucket.isSilent = true
  await vi.advanceTimersByTimeAsync(LEASE_MS)
  expect(lease.isHeld).toBe(false)
  bucket.isSilent = false
  await vi.advanceTimersByTimeAsync(LEASE_MS)
  expect(lease.isHeld).toBe(true)
  expect(lease.isOthers).toBe(false)
  await lease.release()
  expect(bucket.held).toBeNull()
})

test('a lease that comes after its release is given back and not renewed', async () => {
  const bucket = new Bucket()
  bucket.delayMs = 100
  const lease = new Lease(bucket, 'one', () => performance.now())
  const taking = lease.take()
  await lease.release()
  await vi.advanceTimersByTimeAsync(100)
  expect(await taking).toBe(false)
  await vi.advanceTimersByTimeAsync(LEASE_MS)
  expect(bucket.held).toBeNull()
  expect(vi.getTimerCount()).toBe(0)
})

test('a holder that lost its key to another one is told so', async () => {
  const bucket = new Bucket()
  const lease = new Lease(bucket, 'one', () => performance.now())
  await lease.take()
  bucket.held = { value: 'two', revision: 99 }
  await vi.advanceTimersByTimeAsync(LEASE_MS)
  expect(lease.isHeld).toBe(false)
  expect(lease.isOthers).toBe(true)
  await lease.release()
  expect(bucket.held?.value).toBe('two')
})
