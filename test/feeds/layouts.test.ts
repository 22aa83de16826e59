import { expect, test } from 'vitest'
import { decodeEvent, EVENT_LAYOUTS } from '../../src/feeds/chain/layouts/decode-event.ts'
import type { FieldType } from '../../src/feeds/chain/layouts/event-layout.ts'
import { AMM_PROGRAM, PUMP_PROGRAM } from '../../src/feeds/chain/layouts/programs.ts'
import { dataText, hasData, withData } from './data-folder.ts'
import { SeededRandom } from './seeded-random.ts'

interface IdlProgram {
  program_id: string
  events: Record<string, { discriminator_hex: string; fields: [string, FieldType][] }>
}

/** Of October 2026: in no IDL that is published, by name and, where there is one, by the fields that are new. */
const SINCE_THE_IDLS: readonly string[] = [
  'pump PostCompleteBuyEvent',
  'pump SweepBondingCurveFeeEvent',
  'pump SetQuoteControlMintReservesEvent',
  'pump SetQuoteControlReservesAdminEvent',
  'pump_amm SweepPoolFeeEvent',
]
const FIELDS_SINCE_THE_IDLS: Readonly<Record<string, readonly string[]>> = {
  'pump TradeEvent': ['creator_fee_unclaimed'],
  'pump CreateEvent': ['depth'],
  'pump_amm BuyEvent': ['creator_fee_unclaimed'],
  'pump_amm SellEvent': ['creator_fee_unclaimed'],
}

test.skipIf(!hasData)(
  `the layouts are those of the IDLs, where fields are read field by field, and what is newer${withData}`,
  () => {
    const idl: Record<string, IdlProgram> = JSON.parse(dataText('idl', 'events_condensed.json'))
    expect(idl.pump.program_id).toBe(PUMP_PROGRAM)
    expect(idl.pump_amm.program_id).toBe(AMM_PROGRAM)
    const unread = EVENT_LAYOUTS.filter(({ types }) => types.length === 0)
    const isUnread = (program: string, name: string) =>
      unread.some((layout) => layout.program === program && layout.name === name)
    const expected = Object.entries(idl).flatMap(([program, { events }]) =>
      Object.entries(events).map(([name, { discriminator_hex, fields }]) => ({
        ...{ program, name, discriminator_hex },
        fields: isUnread(program, name) ? [] : fields,
      })),
    )
    const byName = (a: { program: string; name: string }, b: { program: string; name: string }) =>
      `${a.program} ${a.name}` < `${b.program} ${b.name}` ? -1 : 1
    const keyOf = ({ program, name }: { program: string; name: string }) => `${program} ${name}`
    const ofIdls = EVENT_LAYOUTS.filter((layout) => !SINCE_THE_IDLS.includes(keyOf(layout)))
    const actual = ofIdls.map((layout) => {
      const newer = FIELDS_SINCE_THE_IDLS[keyOf(layout)] ?? []
      const names = layout.names.slice(layout.names.length - newer.length)
      expect(newer.length === 0 ? [] : names).toEqual(newer)
      return {
        program: layout.program,
        name: layout.name,
        discriminator_hex: layout.discriminator,
        fields: Object.entries(layout.fields).filter(([field]) => !newer.includes(field)),
      }
    })
    expect(actual.sort(byName)).toEqual(expected.sort(byName))
  },
)

test('32 events of the curve program and 27 of the AMM are known, each by its own key', () => {
  expect(EVENT_LAYOUTS.filter((layout) => layout.program === 'pump')).toHaveLength(32)
  expect(EVENT_LAYOUTS.filter((layout) => layout.program === 'pump_amm')).toHaveLength(27)
  const keys = EVENT_LAYOUTS.map((layout) => `${layout.program} ${layout.discriminator}`)
  expect(new Set(keys).size).toBe(59)
})

test('nine discriminators are shared by both programs', () => {
  const [pump, amm] = ['pump', 'pump_amm'].map(
    (program) =>
      new Set(
        EVENT_LAYOUTS.filter((layout) => layout.program === program).map((l) => l.discriminator),
      ),
  )
  expect([...pump].filter((discriminator) => amm.has(discriminator))).toHaveLength(9)
})

test('random bytes decode without an error, with and without a known discriminator', () => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
  console.log(`random bytes with SEED=${seed}`)
  const random = new SeededRandom(seed)
  for (let round = 0; round < 20_000; round++) {
    const bytes = random.bytes(random.below(600))
    const layout = EVENT_LAYOUTS[random.below(EVENT_LAYOUTS.length)]
    if (round % 3 > 0) bytes.set(Buffer.from(layout.discriminator, 'hex').subarray(0, bytes.length))
    const event = decodeEvent(layout.program, bytes)
    if (event !== null) expect(event.values).toHaveLength(event.layout.names.length)
  }
})

test('bytes too short for a discriminator are no event', () => {
  for (let length = 0; length < 8; length++) {
    expect(decodeEvent('pump', new Uint8Array(length))).toBeNull()
  }
})
