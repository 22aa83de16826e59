import { expect, test } from 'vitest'
import { allTargets, campaign, corpusOf, tryInput } from './campaign.ts'

/** Inputs of each reader; `make fuzz` is the long form. */
const COUNT = 2000
const SEED = 20_261_121

test.each(allTargets().map((target) => [target.name, target] as const))(
  '%s: what was found once stays mended',
  (name, target) => {
    const findings = corpusOf(name).map((input) => tryInput(target, input))
    expect(findings.filter((finding) => finding !== null)).toEqual([])
  },
)

test.each(allTargets().map((target) => [target.name, target] as const))(
  `%s: ${COUNT} inputs of seed ${SEED} break no rule`,
  (_name, target) => {
    const { value: finding } = campaign(target, SEED, COUNT).next()
    expect(finding === undefined ? null : `${finding.reason}\n${finding.input}`).toBe(null)
  },
)
