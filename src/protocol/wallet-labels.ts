import { jsonString } from './wire.ts'

/** What a user calls a wallet (setting `WALLET_LABELS`). */
export interface WalletLabel {
  readonly name: string
  /** Of several wallets, for filters; "" for none. */
  readonly tag: string
}

/** Tags that are listed at most. */
export const TAGS_MAX = 200

const NONE: readonly string[] = []

/** Labels by address, changed as a whole. Nothing of the state depends on them. */
export class WalletLabels {
  #labels: ReadonlyMap<string, WalletLabel> = new Map()
  #byTag: ReadonlyMap<string, readonly string[]> = new Map()
  /** Counts the changes. */
  version = 0

  /** These instead of all before. */
  replace(labels: ReadonlyMap<string, WalletLabel>): void {
    this.#labels = labels
    const byTag = new Map<string, string[]>()
    for (const [address, { tag }] of labels) {
      const known = byTag.get(tag)
      if (known !== undefined) known.push(address)
      else if (tag !== '') byTag.set(tag, [address])
    }
    this.#byTag = byTag
    this.version += 1
  }

  of(wallet: string): WalletLabel | null {
    return this.#labels.get(wallet) ?? null
  }

  /** Addresses with a tag. Anybody may ask for any: those of a file are not looked through for each. */
  withTag(tag: string): readonly string[] {
    return this.#byTag.get(tag) ?? NONE
  }

  /** Addresses by tag. */
  tags(): ReadonlyMap<string, readonly string[]> {
    return this.#byTag
  }
}

/** The tags, those of most wallets first, as JSON text. */
export function tagsJson(labels: WalletLabels): string {
  const tags = [...labels.tags()].sort(([a, m], [b, n]) => n.length - m.length || (a < b ? -1 : 1))
  const items = tags
    .slice(0, TAGS_MAX)
    .map(([tag, wallets]) => `{"tag":${jsonString(tag)},"wallets":${wallets.length}}`)
  return `{"items":[${items.join(',')}]}`
}

/** A label as JSON text. */
export function labelJson(label: WalletLabel | null): string {
  return label === null
    ? 'null'
    : `{"name":${jsonString(label.name)},"tag":${jsonString(label.tag)}}`
}

/** An additive key, behind others, of a wallet that has a label; else "". */
export function labelExtra(labels: WalletLabels, key: string, wallet: string): string {
  const label = labels.of(wallet)
  return label === null ? '' : `,"${key}":${labelJson(label)}`
}
