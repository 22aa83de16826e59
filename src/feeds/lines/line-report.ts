/** Told of a line that cannot be read: its number, from 1 on, and why. */
export type ReportLine = (lineNumber: number, reason: string) => void
