/** Bodies of the table query that must be refused with a 400. */

export interface BadBody {
  what: string
  body: string | Buffer
  /** The key the message must name, where there is one. */
  names: string
}

const wrongKey = (what: string, value: unknown, names: string): BadBody => ({
  what,
  body: JSON.stringify(value),
  names,
})

const malformed: BadBody[] = [
  ['an empty body', ''],
  ['a blank body', '   '],
  ['a cut object', '{"type":'],
  ['trailing text', '{} {}'],
  ['single quotes', "{'type':'new'}"],
  ['a trailing comma', '{"type":"new",}'],
  ['NaN', '{"newPools":{"holders":{"min":NaN}}}'],
  ['a form', 'type=new'],
  ['an array', '[]'],
  ['a string', '"new"'],
  ['a number', '5'],
  ['null', 'null'],
].map(([what, body]) => ({ what, body, names: 'body' }))

const binary: BadBody[] = [
  { what: 'invalid UTF-8', body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) },
  { what: 'a zero byte', body: Buffer.from([0x7b, 0x00, 0x7d]) },
].map((one) => ({ ...one, names: 'body' }))

const types: BadBody[] = ['NEW', 'old', '', 5, true, [], {}].map((type) =>
  wrongKey(`type ${JSON.stringify(type)}`, { type }, 'type'),
)

const limits: BadBody[] = [0, 201, -1, 1.5, '50', true, {}].map((limit) =>
  wrongKey(`limit ${JSON.stringify(limit)}`, { limit }, 'limit'),
)

const groupsWrong: BadBody[] = ['newPools', 'completing', 'graduated'].flatMap((group) => [
  wrongKey(`${group} as an array`, { [group]: [] }, group),
  wrongKey(`${group} as a string`, { [group]: 'x' }, group),
  wrongKey(`an unknown filter in ${group}`, { [group]: { colour: { min: 1 } } }, 'colour'),
])

const filters: BadBody[] = (
  [
    ['holders', 5],
    ['holders', '5'],
    ['holders', []],
    ['holders', true],
    ['holders', { min: '5' }],
    ['holders', { max: {} }],
    ['mCapUsd', { min: true }],
    ['ageMinutes', { max: '60' }],
    ['volumeUsd', { minimum: 1 }],
    ['xReuses', { min: 2, max: 1 }],
    ['top10HoldingPct', { min: 50.5, max: 50.4 }],
    ['devSoldAll', 'true'],
    ['noXReuses', 1],
    ['dexPaid', {}],
    ['caEndsWithSuffix', 'pump'],
    ['socials', true],
    ['socials', []],
    ['socials', { twitter: 'yes' }],
    ['socials', { facebook: true }],
    ['socials', { atLeastOne: 1 }],
  ] satisfies [string, unknown][]
).map(([name, value]) =>
  wrongKey(`${name} ${JSON.stringify(value)}`, { newPools: { [name]: value } }, name),
)

const misplaced: BadBody[] = [
  wrongKey('an unknown key', { colour: 'red' }, 'colour'),
  wrongKey('new for newPools', { new: {} }, 'new'),
  wrongKey('a filter outside its group', { holders: { min: 1 } }, 'holders'),
  wrongKey(
    'a bad filter in a group not asked for',
    { type: 'new', graduated: { colour: 1 } },
    'colour',
  ),
]

export const badBodies: BadBody[] = [
  ...malformed,
  ...binary,
  ...types,
  ...limits,
  ...groupsWrong,
  ...filters,
  ...misplaced,
]
