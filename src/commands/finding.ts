import { codeOf, messageOf } from '../base/thrown.ts'
import { Exit } from './command.ts'

/** What the doctor found out about one thing. */
export interface Finding {
  /** `bad`: the service would not start, or not for long. */
  readonly level: 'good' | 'warn' | 'bad'
  /** What was looked at. */
  readonly about: string
  /** Exit code of the doctor when it is `bad`. */
  readonly code: number
  /** One sentence: what is so, and when that is not good, what to do. */
  readonly says: string
}

export function good(about: string, says: string): Finding {
  return { level: 'good', about, code: Exit.good, says }
}

export function warn(about: string, says: string): Finding {
  return { level: 'warn', about, code: Exit.good, says }
}

export function bad(about: string, says: string, code: number = Exit.bad): Finding {
  return { level: 'bad', about, code, says }
}

/** What a look at a data folder finds; where the disk refuses it, that it does. */
export function unlessRefused<T>(about: string, look: () => T): T | Finding {
  try {
    return look()
  } catch (error) {
    if (codeOf(error) === '') throw error
    return bad(about, `${messageOf(error)}: mend that, or give another DATA_DIR.`, Exit.data)
  }
}

/** That of a setting goes before that of the data folder, as at a start. */
export function exitCodeOf(findings: readonly Finding[]): number {
  const codes = findings.filter(({ level }) => level === 'bad').map(({ code }) => code)
  return [Exit.usage, Exit.data, Exit.bad].find((code) => codes.includes(code)) ?? Exit.good
}

/** A line for each finding, and what they come to. */
export function findingsText(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ level, about, says }) => `${level.padEnd(5)} ${about.padEnd(12)} ${says}`,
  )
  const count = (level: Finding['level']) => findings.filter((one) => one.level === level).length
  const verdict =
    count('bad') > 0
      ? `${count('bad')} to mend before the start`
      : `nothing stands in the way, ${count('warn')} to look at`
  return `${[...lines, verdict].join('\n')}\n`
}
