import type { Answers, BegunChart, ChartQuery } from '../../../protocol/answers.ts'

/** How often the chart of a mint that trades all the time is begun, before it is written in one go. */
const BEGUN_MAX = 3

interface Begun {
  readonly topic: string
  readonly query: ChartQuery
  readonly chart: BegunChart
  /** How often it was begun. */
  readonly times: number
}

/**
 * The charts that newcomers begin with, written turn by turn, one of a connection at a time. A chart
 * is of the moment in which it is done: one whose mint changed meanwhile is begun anew.
 */
export class ChartWritings {
  readonly #answers: Pick<Answers, 'beginChart'>
  readonly #begun = new WeakMap<object, Begun>()

  constructor(answers: Pick<Answers, 'beginChart'>) {
    this.#answers = answers
  }

  /** The chart as of now; null: to be called again in a later turn. */
  write(
    connection: object,
    topic: string,
    query: ChartQuery,
    mayGoOn: () => boolean,
  ): string | null {
    const known = this.#begun.get(connection)
    const before = known?.topic === topic ? known : null
    const isCurrent =
      before?.query.to === query.to &&
      before.query.countback === query.countback &&
      before.chart.isCurrent()
    const begun =
      before !== null && isCurrent
        ? before
        : { topic, query, chart: this.#answers.beginChart(query), times: (before?.times ?? 0) + 1 }
    const text = begun.chart.write(begun.times < BEGUN_MAX ? mayGoOn : () => true)
    if (text === null) this.#begun.set(connection, begun)
    else this.#begun.delete(connection)
    return text
  }
}
