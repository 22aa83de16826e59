import { expect, test } from 'vitest'
import {
  AMM_PROGRAM as AMM,
  PUMP_PROGRAM as PUMP,
} from '../../../../src/feeds/chain/layouts/programs.ts'
import { eventsOfLogs } from '../../../../src/feeds/chain/transactions/program-logs.ts'

const ROUTER = 'BoomYLwca6TXDmMZ9cbtt6i1DDg9A8trzSW741PH25e'
const data = (text: string) => `Program data: ${Buffer.from(text).toString('base64')}`

function read(...lines: string[]): string[] {
  return eventsOfLogs(lines).emitted.map(
    ({ program, bytes }) => `${program} ${Buffer.from(bytes).toString()}`,
  )
}

test('data belongs to the program on top of the stack of invocations', () => {
  expect(
    read(
      `Program ${ROUTER} invoke [1]`,
      data('of the router'),
      `Program ${PUMP} invoke [2]`,
      data('one'),
      `Program ${AMM} invoke [3]`,
      data('two'),
      `Program ${AMM} consumed 5 of 10 compute units`,
      `Program ${AMM} success`,
      data('three'),
      `Program ${PUMP} success`,
      data('of the router'),
      `Program ${ROUTER} success`,
      data('of nobody'),
    ),
  ).toEqual(['pump one', 'pump_amm two', 'pump three'])
})

test('what a program logs cannot move the stack', () => {
  expect(
    read(
      `Program ${ROUTER} invoke [1]`,
      `Program log: Program ${PUMP} invoke [2]`,
      `Program log: ${data('x')}`,
      data('forged'),
      `Program ${PUMP} success`,
      `Program ${PUMP} failed: custom program error: 0x1`,
      data('forged'),
    ),
  ).toEqual([])
})

test('the depth of an invocation repairs a stack that lost a line', () => {
  expect(read(`Program ${AMM} invoke [1]`, `Program ${PUMP} invoke [1]`, data('a'))).toEqual([
    'pump a',
  ])
  // The end of the inner program is lost: what follows it does not stand under that one.
  const [caller, inner, other] = [PUMP, AMM, ROUTER].map((program) => `Program ${program}`)
  expect(
    read(
      `${caller} invoke [1]`,
      `${inner} invoke [2]`,
      `${other} invoke [2]`,
      `${other} success`,
      data('b'),
    ),
  ).toEqual(['pump b'])
})

test('a failed program leaves the stack', () => {
  expect(
    read(
      `Program ${PUMP} invoke [1]`,
      `Program ${AMM} invoke [2]`,
      `Program ${AMM} failed: custom program error: 0x1771`,
      data('a'),
    ),
  ).toEqual(['pump a'])
})

test('a cut log keeps what came before the cut', () => {
  const found = eventsOfLogs([
    `Program ${PUMP} invoke [1]`,
    data('before'),
    'Log truncated',
    data('after'),
  ])
  expect(found.truncated).toBe(true)
  expect(found.emitted).toHaveLength(1)
})

test('of several slices the first is the event', () => {
  expect(read(`Program ${PUMP} invoke [1]`, `${data('a')} ${data('b').slice(14)}`)).toEqual([
    'pump a',
  ])
})
