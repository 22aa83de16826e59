import { expect, test } from 'vitest'
import { SETTING_NAMES } from '../../src/config/config.ts'
import { mistypedSettings } from '../../src/config/typos.ts'
import { COMMON_VARIABLES } from '../base/common-variables.ts'

test.each([
  ['PORTT', 'PORT'],
  ['PROT', 'PORT'],
  ['port', 'PORT'],
  ['DATADIR', 'DATA_DIR'],
  ['DATA-DIR', 'DATA_DIR'],
  ['SIM_TOKEN', 'SIM_TOKENS'],
  ['RATELIMIT', 'RATE_LIMIT'],
  ['YELOWSTONE_URL', 'YELLOWSTONE_URL'],
  ['SOLANA_RPC_URI', 'SOLANA_RPC_URL'],
  ['SNAPSHOTS_EVERY', 'SNAPSHOT_EVERY'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['MINTFEED_PORT', 'PORT'],
  ['MINTFEED_DATADIR', 'DATA_DIR'],
])('the variable %s is told with the setting that may be meant: %s', (given, meant) => {
  expect(mistypedSettings({ PATH: '/bin', [given]: '3' }, SETTING_NAMES)).toEqual([
    {
      variable: given,
      sentence: `The variable ${given} is no setting; ${meant} may be meant, "mintfeed help" lists all.`,
    },
  ])
})

test('every setting with one letter too much is told, unless that is another setting', () => {
  for (const name of SETTING_NAMES) {
    const [told] = mistypedSettings({ [`${name}X`]: 'x' }, SETTING_NAMES)
    expect(told?.sentence, name).toContain(`; ${name} may be meant,`)
  }
})

test('settings themselves, and what systems and other programs set, are never told', () => {
  const names = [...SETTING_NAMES, ...COMMON_VARIABLES]
  const environment = Object.fromEntries(names.map((name) => [name, 'x']))
  expect(mistypedSettings(environment, SETTING_NAMES)).toEqual([])
  expect(mistypedSettings(process.env, SETTING_NAMES)).toEqual([])
})

test('a variable that Kubernetes makes of a service named mintfeed is not told', () => {
  const MINTFEED_PORT = 'tcp://10.96.0.17:8080'
  expect(mistypedSettings({ MINTFEED_PORT }, SETTING_NAMES)).toEqual([])
})

test('a variable that is empty is told as one that is set: it was meant to be something', () => {
  expect(mistypedSettings({ DATADIR: '' }, SETTING_NAMES)).toHaveLength(1)
})
