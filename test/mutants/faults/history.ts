import type { Fault } from '../fault.ts'

const LIVE = 'test/app/live-events.test.ts'
const FEED = 'test/feeds/supervisor/history-feed.test.ts'
const LATE = 'test/app/late-events.test.ts'
const REPLACE = 'test/store/folder/replace-data.test.ts'

/** Faults of what lies before the start, and of long outages. */
export const HISTORY_FAULTS: readonly Fault[] = [
  {
    name: 'history: what live events say of the gap counts',
    file: 'src/app/live-events.ts',
    find: "if (event.type !== 'gap' || event.fromSlot > to || event.toSlot < from) return [event]",
    replace: "if (event.type !== '') return [event]",
    tests: [LIVE],
  },
  {
    name: 'history: live events that a run before has folded are folded again',
    file: 'src/app/live-events.ts',
    find: 'const skipped = Math.min(passed, events.length)',
    replace: 'const skipped = Math.min(0, passed, events.length)',
    tests: [LIVE],
  },
  {
    name: 'history: events that come while the journal is read are left out',
    file: 'src/app/live-events.ts',
    find: 'this.#waiting.push({ events, clockSeconds })',
    replace: 'void clockSeconds',
    tests: [LIVE],
  },
  {
    name: 'history: what is not fetched is not told as lost',
    file: 'src/feeds/supervisor/history-feed.ts',
    find: 'if (isNew && gap.from < options.from)',
    replace: 'if (!isNew && gap.from < options.from)',
    tests: [FEED],
  },
  {
    name: 'history: what is lost is told with no time',
    file: 'src/feeds/supervisor/history-feed.ts',
    find: 'seconds = events[0]?.timestamp ?? 0',
    replace: 'seconds = 0',
    tests: [FEED],
  },
  {
    name: 'history: a run behind another one fetches all again',
    file: 'src/feeds/supervisor/history-feed.ts',
    find: 'Math.max(options.from, (cursor ?? -1) + 1)',
    replace: 'options.from',
    tests: [FEED],
  },
  {
    name: 'history: files are moved before the others are gone for sure',
    file: 'src/store/folder/replace-data.ts',
    find: 'if (marks.includes(WHOLE)) {',
    replace: 'if (marks.length > 0) {',
    tests: [REPLACE],
  },
  {
    name: 'history: a folder that is not whole replaces another',
    file: 'src/store/folder/replace-data.ts',
    find: 'if (marks.length === 0) return false',
    replace: '',
    tests: [REPLACE],
  },
  {
    name: 'history: a long gap holds what is behind it though somebody fills it',
    file: 'src/feeds/supervisor/open-gaps.ts',
    find: 'if (takeLong?.(gap) !== true) return',
    replace: 'return',
    tests: ['test/feeds/supervisor/open-gaps.test.ts'],
  },
  {
    name: 'history: reads stay with the engine before',
    file: 'src/query/engine-service.ts',
    find: 'this.answers.use(engine)',
    replace: '',
    tests: ['test/query/engine-streams.test.ts'],
  },
  {
    name: 'history: the engine before still publishes',
    file: 'src/query/engine-streams.ts',
    find: 'for (const end of this.#ends) end()',
    replace: '',
    tests: ['test/query/engine-streams.test.ts'],
  },
  {
    name: 'history: followers stay with the streams of before',
    file: 'src/server/server.ts',
    find: 'renew: () => parts.live.renew(),',
    replace: 'renew: () => {},',
    tests: ['test/server/live/replaced-engine.test.ts'],
  },
  {
    name: 'history: a server is asked as fast as it answers',
    file: 'src/feeds/solana/rpc-client.ts',
    find: 'this.#nextMs = atMs + 1_000 / this.#pace.questionsPerSecond',
    replace: 'this.#nextMs = atMs',
    tests: ['test/feeds/solana/rpc-client.test.ts'],
  },
  {
    name: 'history: a silent body outlives its signal',
    file: 'src/feeds/response-text.ts',
    find: "signal.addEventListener('abort', end)",
    replace: '',
    tests: ['test/feeds/response-text.test.ts'],
  },
  {
    name: 'history: a restart that knows its start alone begins with what comes',
    file: 'src/app/feeds/live-sources.ts',
    find: 'return isStartTold ? unseenTo : null',
    replace: 'return isStartTold ? null : null',
    tests: ['test/feeds/supervisor/resumed-cursor.test.ts'],
  },
  {
    name: 'history: late events stay where they came',
    file: 'src/app/live-events.ts',
    find: 'late.length > 0 ? inPlace(read(), late) : read()',
    replace: 'late.length < 0 ? inPlace(read(), late) : read()',
    tests: [LATE],
  },
  {
    name: 'history: late events come in the order of their arrival',
    file: 'src/app/live-events.ts',
    find: 'late.sort((a, b) => a.slot - b.slot || a.at - b.at)',
    replace: 'late.sort((a, b) => a.at - b.at)',
    tests: [LATE],
  },
  {
    name: 'history: late events are folded from a snapshot on that lies behind them',
    file: 'src/app/build-plan.ts',
    find: 'contents.seq < first.firstSeq || newestSlot > slot',
    replace: 'contents.seq < first.firstSeq',
    tests: [LATE],
  },
  {
    name: 'history: a late creation is not seen to be late',
    file: 'src/engine/event-acceptor.ts',
    find: 'if (!this.#ordered.isInReach(key)) this.#noteLate(key)',
    replace: '',
    tests: [LATE],
  },
  {
    name: 'history: a start takes other late events than the run before it',
    file: 'src/app/history-build.ts',
    find: 'if (plan.lateSeq !== undefined) return plan',
    replace: '',
    tests: [LATE],
  },
]
