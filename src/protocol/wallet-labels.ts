import { jsonString } from './wire.ts'

/** What a user calls a wallet (setting `WALLET_LABELS`). */
export interface WalletLabel {
  readonly name: string
  /** Of several wallets, for filters; "" for none. */
  readonly tag: string
}

/** Tags that are listed at most. */
export const TAGS_MAX = 200

/** Labels by address, changed as a whole. Nothing of the state depends on them. */
export class WalletLabels {
  #labels: ReadonlyMap<string, WalletLabel> = new Map()
  /** Counts the changes. */
  version = 0

  /** These instead of all before. */
  replace(labels: ReadonlyMap<string, WalletLabel>): void {
    this.#labels = labels
    this.version += 1
  }

  of(wallet: string): WalletLabel | null {
    return this.#labels.get(wallet) ?? null
  }

  /** Addresses with a tag. */
  withTag(tag: string): readonly string[] {
    const found: string[] = []
    for (const [address, label] of this.#labels) if (label.tag === tag) found.push(address)
    return found
  }

  /** Wallets by tag. */
  tags(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const { tag } of this.#labels.values())
      if (tag !== '') counts.set(tag, (counts.get(tag) ?? 0) + 1)
    return counts
  }
}

/** The tags, those of most wallets first, as JSON text. */
export function tagsJson(labels: WalletLabels): string {
  const tags = [...labels.tags()].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  const items = tags
    .slice(0, TAGS_MAX)
    .map(([tag, wallets]) => `{"tag":${jsonString(tag)},"wallets":${wallets}}`)
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
