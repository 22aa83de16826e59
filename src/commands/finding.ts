/** What the doctor found out about one thing. */
export interface Finding {
  /** `bad`: the service would not start, or not for long. */
  readonly level: 'good' | 'warn' | 'bad'
  /** What was looked at. */
  readonly about: string
  /** One sentence: what is so, and when that is not good, what to do. */
  readonly says: string
}

export function good(about: string, says: string): Finding {
  return { level: 'good', about, says }
}

export function warn(about: string, says: string): Finding {
  return { level: 'warn', about, says }
}

export function bad(about: string, says: string): Finding {
  return { level: 'bad', about, says }
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
