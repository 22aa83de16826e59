import { walletPath } from '../frame/route.ts'
import { short } from '../text/chain-text.ts'

/** What a wallet is in a token, as the API flags it. */
export interface WalletFlags {
  readonly creator_wallet?: boolean
  readonly sniper_wallet?: boolean
  readonly insider_wallet?: boolean
  readonly bundle_wallet?: boolean
  readonly fresh_wallet?: boolean
  readonly pro_trader?: boolean
}

const CLASSES = [
  ['creator_wallet', 'DEV', 'creator of the token'],
  ['sniper_wallet', 'SNP', 'sniper'],
  ['insider_wallet', 'INS', 'insider'],
  ['bundle_wallet', 'BND', 'bundler'],
  ['fresh_wallet', 'FRS', 'fresh wallet'],
  ['pro_trader', 'PRO', 'pro trader'],
] as const

/** A wallet in short, with its classes. */
export function WalletLink({
  wallet,
  flags,
}: {
  readonly wallet: string
  readonly flags: WalletFlags
}) {
  return (
    <span class="wallet">
      <a class="link" href={walletPath(wallet)} title={wallet}>
        {short(wallet)}
      </a>
      {CLASSES.map(([key, mark, what]) =>
        flags[key] === true ? (
          <span key={key} class="mark" title={what}>
            {mark}
          </span>
        ) : null,
      )}
    </span>
  )
}
