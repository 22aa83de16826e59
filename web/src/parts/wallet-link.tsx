import type { WalletLabel } from '../../../client/src/mintfeed.ts'
import { walletPath } from '../frame/route.ts'
import { short } from '../text/chain-text.ts'
import { LabelMark } from './label-mark.tsx'
import { WALLET_CLASSES } from './wallet-classes.ts'

/** What a wallet is in a token, as the API flags it. */
export interface WalletFlags {
  readonly creator_wallet?: boolean
  readonly sniper_wallet?: boolean
  readonly insider_wallet?: boolean
  readonly bundle_wallet?: boolean
  readonly fresh_wallet?: boolean
  readonly pro_trader?: boolean
}

const FLAGS = [
  ['creator_wallet', WALLET_CLASSES.creator],
  ['sniper_wallet', WALLET_CLASSES.sniper],
  ['insider_wallet', WALLET_CLASSES.insider],
  ['bundle_wallet', WALLET_CLASSES.bundler],
  ['fresh_wallet', WALLET_CLASSES.fresh],
  ['pro_trader', WALLET_CLASSES.pro],
] as const

/** A wallet in short, with its classes. */
export function WalletLink({
  wallet,
  label,
  flags,
}: {
  readonly wallet: string
  readonly label: WalletLabel | undefined
  readonly flags: WalletFlags
}) {
  return (
    <span class="wallet">
      <a class="link" href={walletPath(wallet)} title={wallet}>
        {short(wallet)}
      </a>
      <LabelMark label={label} />
      {FLAGS.map(([key, { mark, what }]) =>
        flags[key] === true ? (
          <span key={key} class="mark" title={what}>
            {mark}
          </span>
        ) : null,
      )}
    </span>
  )
}
