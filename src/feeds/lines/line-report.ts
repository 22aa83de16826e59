/** Bad lines that are reported one by one; after them only the count at the end. */
export const REPORTED_LINES_MAX = 20

export type ReportLine = (lineNumber: number, reason: string) => void

export interface LineReport {
  readonly report: ReportLine
  /** One sentence when lines were left out of the report, else null. */
  summary(): string | null
}

/** Passes the first bad lines on and counts the rest, so that a wrong file does not flood a log. */
export function boundedLineReport(report: ReportLine, max = REPORTED_LINES_MAX): LineReport {
  let count = 0
  return {
    report: (lineNumber, reason) => {
      count++
      if (count <= max) report(lineNumber, reason)
    },
    summary: () =>
      count > max ? `${count} lines were skipped, the first ${max} were reported` : null,
  }
}
