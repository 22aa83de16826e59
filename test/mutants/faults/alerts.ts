import type { Fault } from '../fault.ts'

const MODEL = ['test/alerts/watch-model.test.ts']
const MOMENTS = ['test/alerts/second.test.ts']
const SERVICE = ['test/alerts/service.test.ts']
const OUTBOX = ['test/alerts/outbox.test.ts']
const WEBHOOK = ['test/alerts/webhook.test.ts']

/** Faults of alerts: what is missed, told twice, lost at a kill, or sent where it must not be. */
export const ALERT_FAULTS: readonly Fault[] = [
  {
    name: 'alerts: rules are never held against all tokens',
    file: 'src/query/alerts/token-rules.ts',
    find: 'if (!this.#hasWide || second <= before)',
    replace: 'if (second > 0)',
    tests: MODEL,
  },
  {
    name: 'alerts: a tenth of the tokens is never looked at',
    file: 'src/query/alerts/token-rules.ts',
    find: 'for (let word = at % WIDE_SECONDS;',
    replace: 'for (let word = (at % WIDE_SECONDS) || 1;',
    tests: MOMENTS,
  },
  {
    name: 'alerts: a second looks at all tokens',
    file: 'src/query/alerts/token-rules.ts',
    find: 'word += WIDE_SECONDS)',
    replace: 'word += 1)',
    tests: MOMENTS,
  },
  {
    name: 'alerts: a token that came to a higher value keeps its level',
    file: 'src/query/alerts/value-levels.ts',
    find: 'levels[token] = values.findLastIndex((value) => quantity >= value)',
    replace:
      'if (level > values.length) levels[token] = values.findLastIndex((value) => quantity >= value)',
    tests: MOMENTS,
  },
  {
    name: 'alerts: a restored engine has a moment with its first event',
    file: 'src/query/alerts/alert-watch.ts',
    find: 'if (!isLater && momentOf(seq) === momentOf(this.#roundSeq)) return',
    replace: '',
    tests: MOMENTS,
  },
  {
    name: 'alerts: the newest that are read are the oldest',
    file: 'src/alerts/outbox.ts',
    find: "const order = after === null ? 'DESC' : 'ASC'",
    replace: "const order = after === null ? 'ASC' : 'ASC'",
    tests: ['test/alerts/told-alerts.test.ts'],
  },
  {
    name: 'alerts: a poller that lost some is not told',
    file: 'src/query/engine-streams.ts',
    find: 'after < first - 1)',
    replace: 'after < first - 2)',
    tests: ['test/alerts/told-alerts.test.ts'],
  },
  {
    name: 'alerts: what a full answer left out is passed over',
    file: 'src/query/engine-streams.ts',
    find: 'const hasMore = after !== null && alerts.length === limit',
    replace: 'const hasMore = after !== null && alerts.length > limit',
    tests: ['test/alerts/told-alerts.test.ts'],
  },
  {
    name: 'alerts: a busy second has one moment',
    file: 'src/engine/event-acceptor.ts',
    find: 'taken < this.#nextMoment) return',
    replace: 'taken > 0) return',
    tests: MOMENTS,
  },
  {
    name: 'alerts: tokens that changed before the stored position are compared again as if they were new',
    file: 'src/query/alerts/alert-watch.ts',
    find: 'if (seq <= this.#from.roundSeq) this.#parts.tokens.passed()',
    replace: 'this.#parts.tokens.passed()',
    tests: MODEL,
  },
  {
    name: 'alerts: a fact at the stored position is found again',
    file: 'src/query/alerts/alert-watch.ts',
    find: 'return this.#engine.seq <= this.#from.seq',
    replace: 'return this.#engine.seq < this.#from.seq',
    tests: MODEL,
  },
  {
    name: 'alerts: a wallet that was looked at once counts as not followed',
    file: 'src/query/alerts/alert-watch.ts',
    find: 'isFollowed ? Followed.yes : Followed.no',
    replace: 'isFollowed && wallet % 2 === 0 ? Followed.yes : Followed.no',
    tests: MODEL,
  },
  {
    name: 'alerts: a second begins with each event of it',
    file: 'src/engine/event-acceptor.ts',
    find: 'if (this.newestSeconds <= this.#toldSeconds &&',
    replace: 'if (this.newestSeconds < this.#toldSeconds &&',
    tests: MOMENTS,
  },
  {
    name: 'alerts: several of a rule at one seq have one id',
    file: 'src/query/alerts/alert-watch.ts',
    find: 'const part = at?.seq === seq ? at.part : 0',
    replace: 'const part = 0',
    tests: MOMENTS,
  },
  {
    name: 'alerts: a snapshot does not wait for the position behind its events',
    file: 'src/alerts/alert-service.ts',
    find: '    if (this.failure !== null) throw new Error(this.failure)\n    this.#stores.outbox.sync()',
    replace: '    this.#stores.outbox.sync()',
    tests: SERVICE,
  },
  {
    name: 'alerts: what could not be stored is forgotten',
    file: 'src/alerts/alert-service.ts',
    find: "      if (this.#failure === null) log.error({ reason: failure }, 'alerts are not stored')",
    replace:
      "      this.#unstored = []\n      if (this.#failure === null) log.error({ reason: failure }, 'alerts are not stored')",
    tests: SERVICE,
  },
  {
    name: 'alerts: they are published before they are stored',
    file: 'src/alerts/alert-service.ts',
    find: '    this.#commitSoon()\n  }\n\n  /** At the end of this turn',
    replace:
      '    if (live) this.#options.publish(body.body, 0)\n    this.#commitSoon()\n  }\n\n  /** At the end of this turn',
    tests: SERVICE,
  },
  {
    name: 'alerts: a rule of another epoch goes on with the tokens it had',
    file: 'src/alerts/alert-service.ts',
    find: 'const goesOn = isOfFolder && epoch === foundEpoch',
    replace: 'const goesOn = isOfFolder',
    tests: SERVICE,
  },
  {
    name: 'alerts: a full queue takes one more',
    file: 'src/alerts/outbox.ts',
    find: 'this.queuedOf(rule) < QUEUED_OF_RULE_MAX',
    replace: 'this.queuedOf(rule) <= QUEUED_OF_RULE_MAX',
    tests: OUTBOX,
  },
  {
    name: 'alerts: a delivery that is taken twice is counted twice',
    file: 'src/alerts/outbox.ts',
    find: "if (row !== undefined) this.#addQueued(textIn(row, 'rule'), -1)",
    replace: "this.#addQueued(row === undefined ? 'r' : textIn(row, 'rule'), -1)",
    tests: OUTBOX,
  },
  {
    name: 'alerts: the outbox is for everybody to read',
    file: 'src/alerts/outbox.ts',
    find: "openSync(path, 'a', 0o600)",
    replace: "openSync(path, 'a')",
    tests: OUTBOX,
  },
  {
    name: 'alerts: commits take the log of the outbox to its file',
    file: 'src/alerts/outbox.ts',
    find: 'const LOG_PAGES_MAX = 16_384',
    replace: 'const LOG_PAGES_MAX = 1_000',
    tests: OUTBOX,
  },
  {
    name: 'alerts: the log of the outbox goes to its file once',
    file: 'src/alerts/database.ts',
    find: "worker.on('message', () => {\n      this.#isUnderWay = false",
    replace: "worker.on('message', () => {",
    tests: OUTBOX,
  },
  {
    name: 'alerts: an address in the URL of a webhook is not looked at',
    file: 'src/alerts/webhook.ts',
    find: "if (isIP(host) !== 0) this.#check(host, url.protocol === 'http:')",
    replace: "if (host === '') this.#check(host, url.protocol === 'http:')",
    tests: WEBHOOK,
  },
  {
    name: 'alerts: one address of a name that is allowed lets all of them pass',
    file: 'src/alerts/webhook.ts',
    find: 'for (const address of addresses) this.#check(address, isPlain)',
    replace: 'for (const address of addresses.slice(0, 1)) this.#check(address, isPlain)',
    tests: WEBHOOK,
  },
  {
    name: 'alerts: the time is not signed',
    file: 'src/alerts/webhook.ts',
    find: "createHmac('sha256', secret).update(",
    replace: "createHmac('sha256', secret).update(body + ",
    tests: WEBHOOK,
  },
  {
    name: 'alerts: the second delivery goes out beside the first one that fails',
    file: 'src/alerts/deliveries.ts',
    find: 'if (this.#gaveUp(delivery, attempt.reason)) return',
    replace: 'return void this.#gaveUp(delivery, attempt.reason)',
    tests: SERVICE,
  },
]
