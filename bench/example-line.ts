/** A swap as a feed writes it, one line of JSON. */
export function exampleSwapLine(): string {
  return JSON.stringify({
    type: 'swap',
    slot: 390_000_000,
    tx_index: 712,
    ordinal: 0,
    signature:
      '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
    timestamp: 1_767_225_600,
    source: 'pump',
    mint: '9BB6NFEcjBCtnNLFko2FqVQBq8HHM13kCyYcdQbgpump',
    pool: 'DhR6VYmKyMCtFz3xHPjFKvKrQZ2bNKyqKaFcQYbWUL9N',
    signer: '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5',
    direction: 'buy',
    base_raw: '35432100000',
    quote_raw: '1000000000',
    virtual_base_raw: '1037567900000000',
    virtual_quote_raw: '31000000000',
    real_base_raw: '757667900000000',
    real_quote_raw: '1000000000',
    platform_fee_raw: '9500000',
    creator_fee_raw: '3000000',
    chain_fee_raw: '105000',
    base_balance_before_raw: '0',
    base_balance_after_raw: '35432100000',
  })
}
