import { messageOf } from '../base/thrown.ts'

/** Words that ask for something else than the service, where they come first. */
export const COMMAND_NAMES: readonly string[] = [
  ...['inspect', 'verify', 'export', 'repair', 'record', 'doctor'],
  ...['help', 'version'],
]

/** A variable that is no setting and looks like one. */
interface MistypedSetting {
  readonly variable: string
  readonly sentence: string
}

/** Told at most: whoever has more of them has them for another program. */
const TOLD_MAX = 10
/** Letters of a name up to which one of them may be wrong, and not the first: `SORT` and `COST` are words of others. */
const SHORT_NAME_LETTERS = 5
/** Letters of a name from which two may be wrong. */
const LONG_NAME_LETTERS = 8
/** Somebody may think that a program's variables have its name before them. */
const OWN_PREFIX = /^MINTFEED[_.-]/i
/** npm hands each of its own settings to what it runs; a seed is what test runs are given, those of this project too. */
const OF_OTHERS = /^(npm_.*|SEED)$/i
/** What Kubernetes sets for a service has the service's name before it, ours perhaps, and an address as its value. */
const OF_KUBERNETES = /^(tcp|udp|sctp):\/\//

/**
 * The variables of an environment that are none of `names` and so near to one that it may be meant. A start goes on
 * with the setting's default, which nobody would see: here it is told. What systems and other programs set is not.
 */
export function mistypedSettings(
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): readonly MistypedSetting[] {
  const found: MistypedSetting[] = []
  for (const [variable, value] of Object.entries(environment)) {
    if (found.length === TOLD_MAX) break
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

/** The nearest of the names, null when none is near. */
function settingLike(variable: string, names: readonly string[]): string | null {
  const word = lettersOf(variable.replace(OWN_PREFIX, ''))
  let [nearest, fewest]: [string | null, number] = [null, Number.POSITIVE_INFINITY]
  for (const name of names) {
    const letters = lettersOf(name)
    const most = editsMaxOf(word, letters)
    // Each start compares all variables with all settings: most differ in length alone.
    if (Math.abs(word.length - letters.length) > most) continue
    const edits = editsBetween(word, letters)
    if (edits < fewest && edits <= most) [nearest, fewest] = [name, edits]
  }
  return nearest
}

function editsMaxOf(word: string, name: string): number {
  if (name.length <= SHORT_NAME_LETTERS) return word[0] === name[0] ? 1 : 0
  return name.length < LONG_NAME_LETTERS ? 1 : 2
}

/** Without case and what parts words: `DATADIR` and `data-dir` are `DATA_DIR`. */
function lettersOf(name: string): string {
  return name.toUpperCase().replaceAll(/[_.-]/g, '')
}

/** Letters wrong, left out, added or changed places between two words: the optimal string alignment distance. */
export function editsBetween(a: string, b: string): number {
  let beforeLast: readonly number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isOther = a[i - 1] === b[j - 1] ? 0 : 1
      const edits = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + isOther)
      const areSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(areSwapped ? Math.min(edits, beforeLast[j - 2] + 1) : edits)
    }
    beforeLast = last
    last = row
  }
  return last[b.length]
}

/** What `parseArgs` did not know: a flag, without its dashes, or a word that is no flag at all. */
export type Unknown = { readonly flag: string } | { readonly word: string }

/**
 * What `parseArgs` refused, as one sentence; `instead` says, beginning with a small letter, what there is
 * for what it did not know.
 */
export function flagSentence(error: unknown, instead: (unknown: Unknown) => string): string {
  const text = messageOf(error)
  const unknown = /^(?:Unknown option '-*(.*?)'|Unexpected argument '(.*?)')(?=[.\n]|$)/.exec(text)
  if (unknown !== null) {
    const [all, flag, word = ''] = unknown
    return `${all}; ${instead(flag === undefined ? { word } : { flag })}.`
  }
  const [, valueless, isLast] = /^Option '(--\S+)( <value>)?' argument/.exec(text) ?? []
  if (valueless !== undefined)
    return isLast === undefined
      ? `Option '${valueless}' has no value; one that begins with a dash is written ${valueless}=<value>.`
      : `Option '${valueless}' has no value.`
  return `${text.split('\n')[0].replace(/\.$/, '')}.`
}
