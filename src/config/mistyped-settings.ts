import { editsBetween } from './edits.ts'

/** A variable that is no setting and looks like one. */
export interface MistypedSetting {
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
