import { expect, test } from 'vitest'
import { metadataAddress } from '../../../src/feeds/chain/layouts/program-address.ts'
import { curve, LEGACY, metaplex, TOKEN_2022 } from '../peers/chain-accounts.ts'
import { giveUp, MAKER, makeAccount, makeAssociated, makeMint } from '../peers/program-accounts.ts'
import { burn, closeAccount, freezeAccount, updateField } from '../peers/token-instructions.ts'
import { hasTokenPrograms, TokenPrograms, withTokenPrograms } from '../peers/token-programs.ts'
import type { AccountsServer } from './accounts-server.ts'
import {
  address,
  bought,
  CURVE,
  DEV,
  hydrating,
  MINT,
  SLOT,
  SUPPLY,
  TEXTS,
  WHALE,
} from './hydrating.ts'

const UNIT = 10n ** 12n
const ONE_OF_MANY = 30n
const [SELLER, LEAVER] = [90, 91].map(address)
/** Of 25 others 16 are among the 20 largest accounts, beside the curve, two of the whale, and one that is gone. */
const OTHERS = Array.from({ length: 25 }, (_, n) => address(100 + n))
const OTHERS_NAMED = 16

/** What the programs made of a mint with many holders, as a node would tell it. */
function tellMade(server: AccountsServer, program: string): void {
  const programs = new TokenPrograms()
  const isLegacy = program === LEGACY
  makeMint(programs, MINT, isLegacy ? { program } : { texts: { ...TEXTS, name: 'Tadpole' } })
  if (!isLegacy) programs.run(updateField(MINT, MAKER, 'name', TEXTS.name))
  const amounts = OTHERS.map((_, n) => (ONE_OF_MANY - BigInt(n)) * UNIT)
  for (const [n, other] of OTHERS.entries()) makeAssociated(programs, MINT, other, amounts[n])
  makeAssociated(programs, MINT, WHALE, 100n * UNIT)
  const frozen = makeAccount(programs, address(99), MINT, WHALE, 50n * UNIT)
  programs.run(freezeAccount(program, frozen, MINT, MAKER))
  // The creator has too little to be among the largest: its account is found by its address alone.
  makeAssociated(programs, MINT, DEV, 3n)
  const emptied = makeAssociated(programs, MINT, SELLER, 500n * UNIT)
  programs.run(burn(program, emptied, MINT, SELLER, 500n * UNIT))
  const given = amounts.reduce((sum, amount) => sum + amount, 150n * UNIT + 3n)
  makeAssociated(programs, MINT, CURVE, SUPPLY - given)
  const closed = makeAssociated(programs, MINT, LEAVER, 60n * UNIT)
  programs.run(
    burn(program, closed, MINT, LEAVER, 60n * UNIT),
    closeAccount(program, closed, LEAVER),
  )
  giveUp(programs, MINT, !isLegacy)
  const { known } = server
  programs.tell(known)
  // Its node named it before it was closed.
  known.largest.set(MINT, [closed, ...(known.largest.get(MINT) ?? []).slice(0, -1)])
  // Neither Metaplex nor pump.fun are among the programs.
  if (isLegacy) known.accounts.set(metadataAddress(MINT) ?? '', metaplex(MINT, TEXTS))
  known.accounts.set(CURVE, curve(DEV))
  server.slot = SLOT
}

test.skipIf(!hasTokenPrograms).each([
  ['Token-2022', TOKEN_2022],
  ['the legacy program', LEGACY],
])(
  `accounts that %s made are told as states and balances${withTokenPrograms}`,
  async (_, program) => {
    const { server, live, pass, token, handedOver, feed } = await hydrating()
    tellMade(server, program)
    live(bought(MINT))
    await pass(2_000)
    const facts = { mint: MINT, tokenProgram: program, supplyRaw: SUPPLY, decimals: 6 }
    const states = handedOver.filter((event) => event.type === 'token_state')
    const known = { bondingCurve: CURVE, creator: DEV }
    expect(states).toEqual(
      [
        ...(program === LEGACY ? [known, TEXTS] : [{ ...TEXTS, ...known }]),
        { hasLargestHolders: true },
      ].map((told) => expect.objectContaining({ ...facts, ...told })),
    )
    expect(states.at(-1)).not.toHaveProperty('name')
    const balances = handedOver.filter((event) => event.type === 'balance')
    expect(new Map(balances.map(({ wallet, balanceRaw }) => [wallet, balanceRaw]))).toEqual(
      new Map([
        [DEV, 3n],
        [WHALE, 150n * UNIT],
        ...OTHERS.slice(0, OTHERS_NAMED).map(
          (other, n) => [other, (ONE_OF_MANY - BigInt(n)) * UNIT] as const,
        ),
      ]),
    )
    expect(balances).toHaveLength(2 + OTHERS_NAMED)
    // The whale's 15 % and nine of 3.0 to 2.2 %.
    expect(token()).toMatchObject({
      name: 'Toad',
      symbol: 'TOAD',
      creator: DEV,
      top_10_percent: 38.4,
    })
    expect(feed.figures()).toMatchObject({
      ...{ hydration_unreadable_accounts_total: 0, hydration_errors_total: 0 },
    })
  },
)
