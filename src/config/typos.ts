/** Settings, flags and commands that a misspelt word may mean. */

import { messageOf } from '../base/errors.ts'

/** First words of a command line that start something else than the service. */
const COMMAND_NAMES: readonly string[] = [
  ...['inspect', 'verify', 'export', 'repair', 'record', 'doctor', 'mcp'],
  ...['help', 'version'],
]

/** Warnings at most: an environment with more of them has them for another program. */
const WARNINGS_MAX = 10
/** In names of up to this many letters one letter may be wrong, but not the first: `SORT` and `COST` belong to others. */
const SHORT_NAME_LETTERS = 5
/** From this many letters on two may be wrong. */
const LONG_NAME_LETTERS = 8
/** Some programs put their name before their variables. */
const OWN_PREFIX = /^MINTFEED[_.-]/i
/** npm sets its own settings for what it runs; `SEED` is common in test runs, those of this project too. */
const OF_OTHERS = /^(npm_.*|SEED)$/i
/** Kubernetes sets addresses in variables that begin with a service's name, perhaps ours. */
const OF_KUBERNETES = /^(tcp|udp|sctp):\/\//

/**
 * Warnings of variables that are not among `names` and are spelt so much like one that it may be meant: the start
 * goes on with the default of that setting, which nobody would see. Variables of systems and other programs are passed over.
 */
export function mistypedSettings(
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): readonly { readonly variable: string; readonly sentence: string }[] {
  const found: { readonly variable: string; readonly sentence: string }[] = []
  for (const [variable, value] of Object.entries(environment)) {
    if (found.length === WARNINGS_MAX) break
    if (names.includes(variable) || OF_OTHERS.test(variable)) continue
    if (OF_KUBERNETES.test(value ?? '')) continue
    const meant = settingLike(variable, names)
    if (meant === null) continue
    found.push({
      variable,
      sentence: `The variable ${variable} is no setting; ${meant} may be meant, "mintfeed help" lists all.`,
    })
  }
  return found
}

/** The name that is spelt most alike; null: none is alike. */
function settingLike(variable: string, names: readonly string[]): string | null {
  const word = lettersOf(variable.replace(OWN_PREFIX, ''))
  let [closest, fewest]: [string | null, number] = [null, Number.POSITIVE_INFINITY]
  for (const name of names) {
    const letters = lettersOf(name)
    const most = editsMaxOf(word, letters)
    // Each start compares all variables with all settings: most differ in length alone.
    if (Math.abs(word.length - letters.length) > most) continue
    const edits = editsBetween(word, letters)
    if (edits < fewest && edits <= most) [closest, fewest] = [name, edits]
  }
  return closest
}

function editsMaxOf(word: string, name: string): number {
  if (name.length <= SHORT_NAME_LETTERS) return word[0] === name[0] ? 1 : 0
  return name.length < LONG_NAME_LETTERS ? 1 : 2
}

/** Letters without case and separators: `DATADIR` and `data-dir` are `DATA_DIR`. */
function lettersOf(name: string): string {
  return name.toUpperCase().replaceAll(/[_.-]/g, '')
}

/** Letters that are wrong, missing, added or swapped between two words: the optimal string alignment distance. */
function editsBetween(a: string, b: string): number {
  let beforeLast: readonly number[] = []
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j)
  const at = (row: readonly number[], j: number) => row[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isOther = a[i - 1] === b[j - 1] ? 0 : 1
      const edits = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + isOther)
      const areSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(areSwapped ? Math.min(edits, at(beforeLast, j - 2) + 1) : edits)
    }
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

/**
 * The error of `parseArgs` as one sentence.
 * @param known the flags an unknown argument may stand for, without their dashes; or a text that says what is known
 */
export function flagSentence(error: unknown, known: readonly string[] | string): string {
  const text = messageOf(error)
  const unknown = /^(?:Unknown option '-*(.*?)'|Unexpected argument '(.*?)')(?=[.\n]|$)/.exec(text)
  if (unknown !== null) {
    const [all, flag, word] = unknown
    return `${all}; ${typeof known === 'string' ? known : suggestion(flag, word, known)}.`
  }
  const [, valueless, isLast] = /^Option '(--\S+)( <value>)?' argument/.exec(text) ?? []
  if (valueless !== undefined)
    return isLast === undefined
      ? `Option '${valueless}' has no value; one that begins with a dash is written ${valueless}=<value>.`
      : `Option '${valueless}' has no value.`
  const [firstLine = ''] = text.split('\n')
  return `${firstLine.replace(/\.$/, '')}.`
}

/** The flag of a setting, without its dashes. */
export function flagOf(name: string): string {
  return name.toLowerCase().replaceAll('_', '-')
}

/** What to use in place of an unknown flag, or of a word that is no flag. */
function suggestion(
  flag: string | undefined,
  word: string | undefined,
  flags: readonly string[],
): string {
  if (word !== undefined && COMMAND_NAMES.includes(word))
    return `the command comes first: mintfeed ${word} [flags]`
  const similar = flag === undefined ? [] : similarNames(flagOf(flag), flags)
  if (similar.length === 0) return '"mintfeed help" lists all flags and commands'
  const meant = similar.map((name) => `--${name}`).join(' or ')
  return `${meant} may be meant, "mintfeed help" lists all`
}

/** Edits up to which a word may stand for a name. */
const EDITS_MAX = 2
/** Names suggested at most. */
const NAMES_MAX = 3

/** Names that a word may mean: those spelt most alike, else those that share its parts. */
function similarNames(word: string, names: readonly string[]): readonly string[] {
  const edits = names.map((name) => editsBetween(word, name))
  const fewest = Math.min(...edits)
  const isPart = (part: string, whole: string) => `-${whole}-`.includes(`-${part}-`)
  const similar = names.filter((name, i) =>
    fewest <= EDITS_MAX ? edits[i] === fewest : isPart(word, name) || isPart(name, word),
  )
  return similar.slice(0, NAMES_MAX)
}
