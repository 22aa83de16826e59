import { jsonString } from './wire.ts'

/** What a user calls a wallet (setting `WALLET_LABELS`). */
export interface WalletLabel {
  readonly name: string
  /** Of several wallets, for filters; "" for none. */
  readonly tag: string
}

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
