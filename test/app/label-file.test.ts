import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LabelFile, parseLabels } from '../../src/app/label-file.ts'
import { WalletLabels } from '../../src/protocol/wallet-labels.ts'
import { addressOf } from '../address-of.ts'
import { newFolder } from '../new-folder.ts'

const [ANN, BOB, CAT] = ['ann', 'bob', 'cat'].map(addressOf)
const LABELS = new Map([
  [ANN, { name: 'Ann "the whale", Inc.', tag: 'kol' }],
  [BOB, { name: 'Bob 🚀', tag: '' }],
])

/** The labels of a text, read to its end. */
function labelsOf(text: string) {
  return readInPieces(text).labels
}

function readInPieces(text: string) {
  const steps = parseLabels(text)
  for (let pieces = 1; ; pieces += 1) {
    const step = steps.next()
    if (step.done) return { labels: step.value, pieces }
  }
}

test.each([
  ['CSV', `${ANN},"Ann ""the whale"", Inc.",kol\r\n\r\n${BOB}, Bob 🚀 ,\n`],
  ['CSV with columns', `name,Address,tag\n"Ann ""the whale"", Inc.",${ANN},kol\nBob 🚀,${BOB},`],
  [
    'lines of JSON',
    `{"address":"${ANN}","name":"Ann \\"the whale\\", Inc.","tag":"kol"}\n{"address":"${BOB}","name":"Bob 🚀"}`,
  ],
  [
    'a JSON array',
    ` [{"address":"${ANN}","name":"Ann \\"the whale\\", Inc.","tag":"kol"},\n{"address":"${BOB}","name":"Bob 🚀","more":1}]`,
  ],
])('labels are read out of %s', (_, text) => {
  expect(labelsOf(text)).toEqual(LABELS)
})

test('what is wrong is named with its line', () => {
  expect(labelsOf('')).toEqual(new Map())
  expect(labelsOf(`${ANN},Ann,kol\nnobody,Bob,kol`)).toBe(
    'Line 2: the address is no wallet of the chain.',
  )
  expect(labelsOf(`\n{"address":"${ANN}"}`)).toBe(
    'Line 2: the name has 0 characters, 1 to 64 are allowed.',
  )
  expect(labelsOf(`[{"address":"${ANN}","name":"Ann","tag":"two words"}]`)).toBe(
    'Item 1: the tag is not up to 32 letters, digits, ".", "_" and "-".',
  )
  expect(labelsOf('{"address":')).toBe('Line 1: the address is no wallet of the chain.')
  expect(labelsOf('[{')).toBe('It begins as a JSON array and is none.')
  const many = Array.from({ length: 100_001 }, () => `${ANN},Ann,`).join('\n')
  expect(labelsOf(many)).toBe('It has 100001 labels, at most 100000 are read.')
})

test('a long file is read in pieces, between which the loop runs', () => {
  const lines = Array.from({ length: 100_000 }, (_, i) => `${i % 2 === 0 ? ANN : BOB},n${i},kol`)
  const { labels, pieces } = readInPieces(lines.join('\n'))
  expect(labels).toEqual(
    new Map([
      [ANN, { name: 'n99998', tag: 'kol' }],
      [BOB, { name: 'n99999', tag: 'kol' }],
    ]),
  )
  expect(pieces).toBeGreaterThan(150)
})

async function until(isTrue: () => boolean): Promise<void> {
  const endMs = Date.now() + 15_000
  while (!isTrue() && Date.now() < endMs) await new Promise((resolve) => setTimeout(resolve, 50))
  expect(isTrue()).toBe(true)
}

test('the file is read again when it changes or is replaced; a broken one leaves the labels, and one line', async () => {
  const path = join(newFolder(), 'labels.csv')
  const said: { level: string; reason?: string; labels?: number }[] = []
  const log = {
    ...{ debug: () => {}, error: () => {} },
    info: (fields: object) => void said.push({ level: 'info', ...fields }),
    warn: (fields: object) => void said.push({ level: 'warn', ...fields }),
  }
  const labels = new WalletLabels()
  const file = new LabelFile(path, labels, log)
  onTestFinished(() => file.stop())
  await file.begin()
  expect(said).toEqual([{ level: 'warn', reason: expect.stringContaining('ENOENT') }])
  await writeFile(path, `${ANN},Ann,kol`)
  await until(() => labels.of(ANN)?.name === 'Ann')
  const { version } = labels
  await writeFile(path, `${ANN},Ann,kol\nbroken`)
  await until(() => said.length > 2)
  expect(said.slice(1)).toEqual([
    { level: 'info', labels: 1 },
    { level: 'warn', reason: 'Line 2: the address is no wallet of the chain.' },
  ])
  expect([labels.of(ANN)?.tag, labels.version]).toEqual(['kol', version])
  await writeFile(`${path}.next`, `${BOB},Bob,kol\n${CAT},Cat,kol`)
  await rename(`${path}.next`, path)
  await until(() => labels.of(BOB) !== null)
  expect([labels.of(ANN), labels.withTag('kol')]).toEqual([null, [BOB, CAT]])
})
