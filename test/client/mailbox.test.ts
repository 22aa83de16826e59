import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Mailbox } from '../../client/src/live/mailbox.ts'

const MAX = 6
const SOURCES = 2

type Step =
  | { readonly does: 'put' | 'last' | 'next' | 'takeBack' | 'close' }
  | { readonly does: 'room'; readonly count: number }

/** What one reader got: an item, the end, or nothing yet. */
type Got = number | 'end' | null

/** The same in plain words: a list, and who waits. */
class Model {
  readonly items: number[] = []
  readonly got: Got[] = []
  #waiting: number | null = null
  #sources = SOURCES
  #wasFull = false
  isClosed = false
  rooms = 0
  closings = 0

  put(item: number): void {
    if (this.isClosed) return
    if (this.#waiting === null) this.items.push(item)
    else this.got[this.#waiting] = item
    this.#waiting = null
  }

  last(item: number): void {
    this.put(item)
    this.#sources -= 1
    if (this.#sources === 0) this.close()
  }

  next(): void {
    const [first] = this.items.splice(0, 1)
    if (first === undefined && !this.isClosed) {
      this.#end()
      this.#waiting = this.got.push(null) - 1
      return
    }
    this.got.push(first ?? 'end')
    if (first === undefined || this.isClosed || !this.#wasFull) return
    if (this.items.length > MAX / 2) return
    this.#wasFull = false
    this.rooms += 1
  }

  hasRoom(count: number): boolean {
    const has = this.items.length + count <= MAX
    this.#wasFull ||= !has
    return has
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.closings += 1
    this.#end()
    this.#waiting = null
  }

  #end(): void {
    if (this.#waiting !== null) this.got[this.#waiting] = 'end'
  }
}

function taken(mailbox: Mailbox<number>, model: Model, step: Step, item: number): void {
  switch (step.does) {
    case 'put':
      mailbox.put(item)
      model.put(item)
      return
    case 'last':
      mailbox.putLast(item)
      model.last(item)
      return
    case 'takeBack':
      expect(mailbox.takeBackLast()).toBe(model.items.pop())
      return
    case 'room':
      expect(mailbox.hasRoom(step.count)).toBe(model.hasRoom(step.count))
      return
    case 'close':
      mailbox.close()
      model.close()
  }
}

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ does: fc.constant('put' as const) }) },
  { weight: 8, arbitrary: fc.record({ does: fc.constant('next' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('room' as const), count: fc.constantFrom(1, 2) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('takeBack', 'last', 'close') }) },
)

test('readers get every update once and in order, and are told of room and of the end once, whatever comes when', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      const mailbox = new Mailbox<number>(MAX, SOURCES)
      const model = new Model()
      const got: Got[] = []
      const told = { rooms: 0, closings: 0 }
      mailbox.onRoom = () => {
        told.rooms += 1
      }
      mailbox.onClosed = () => {
        told.closings += 1
      }
      for (const [item, one] of steps.entries()) {
        if (one.does === 'next') {
          const reader = got.push(null) - 1
          model.next()
          void mailbox.next().then(({ done, value }) => {
            got[reader] = done === true ? 'end' : value
          })
        } else taken(mailbox, model, one, item)
        await new Promise(setImmediate)
        expect(got).toEqual(model.got)
        expect(told).toEqual({ rooms: model.rooms, closings: model.closings })
        expect(mailbox.size).toBe(model.items.length)
        expect(mailbox.isClosed).toBe(model.isClosed)
      }
    }),
  )
})

test('a mailbox into which nobody puts anything is closed from the beginning', async () => {
  const mailbox = new Mailbox<number>(MAX, 0)
  expect(await mailbox.next()).toEqual({ done: true, value: undefined })
})

test('who is closed in the turn in which it was read is not told of room', async () => {
  const mailbox = new Mailbox<number>(1)
  let rooms = 0
  mailbox.onRoom = () => {
    rooms += 1
  }
  mailbox.put(1)
  expect(mailbox.hasRoom(1)).toBe(false)
  void mailbox.next()
  mailbox.close()
  await new Promise(setImmediate)
  expect(rooms).toBe(0)
})
