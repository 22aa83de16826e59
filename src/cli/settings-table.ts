import { SETTING_DEFAULTS, type SettingName } from '../config/config.ts'
import { SETTING_GROUPS, type SettingText } from '../config/setting-texts.ts'

const LINE_CHARACTERS = 100
const HEAD = `# Settings

<!-- Made by "npm run settings" out of src/config/setting-texts.ts: change that. -->

Each is an environment variable and a flag: \`PORT=9000\` is \`--port 9000\`; a flag goes before the variable, and an empty value is
the default. \`mintfeed help\` prints the same. A value that cannot be used stops the start with one sentence and exit code 2; a variable
that is nearly one of these, like \`DATADIR\`, is a warning of the log.
`

/** docs/settings.md, whole. */
export function settingsMarkdown(): string {
  const parts = Object.entries(SETTING_GROUPS).map(([title, texts]) => {
    const rows = rowsOf(texts).map(
      ({ name, shown, unit, sentence }) => `| \`${name}\` | ${shown} | ${unit} | ${sentence} |`,
    )
    return [
      '',
      `## ${title}`,
      '',
      '| setting | default | unit or values | what it does |',
      '|---|---|---|---|',
      ...rows,
    ].join('\n')
  })
  return `${HEAD}${parts.join('\n')}\n`
}

/** The same for a terminal: two lines or more a setting. */
export function settingsHelp(): string {
  const parts = Object.entries(SETTING_GROUPS).map(([title, texts]) => {
    const rows = rowsOf(texts).flatMap(({ name, shown, unit, sentence }) => [
      ...indented(`${name}  ${shown}  [${unit}]`, '  ', '      '),
      ...indented(sentence, '      ', '      '),
    ])
    return [`${title}:`, ...rows].join('\n')
  })
  return parts.join('\n\n').replaceAll('`', '')
}

interface Row extends SettingText {
  readonly name: string
  /** The default as text. */
  readonly shown: string
}

function rowsOf(texts: Readonly<Partial<Record<SettingName, SettingText>>>): readonly Row[] {
  const defaults: Readonly<Record<string, string>> = SETTING_DEFAULTS
  return Object.entries(texts).map(([name, text]) => {
    const value = defaults[name]
    return { ...text, name, shown: value === '' ? (text.fallback ?? 'none') : `\`${value}\`` }
  })
}

/** Words in lines that fit a terminal. */
function indented(text: string, first: string, next: string): readonly string[] {
  const lines: string[] = []
  let line = first
  for (const word of text.split(/(?<= )(?! )/)) {
    if (line.trim() !== '' && (line + word).trimEnd().length > LINE_CHARACTERS) {
      lines.push(line.trimEnd())
      line = next
    }
    line += word
  }
  return [...lines, line.trimEnd()]
}
