/** Texts that histories are made of: plain ones, hostile ones, and X links of every kind. */

export const NAMES: readonly [string, ...string[]] = [
  'Dog Coin',
  'dogwifhat',
  'DOG',
  'Moon',
  'moonshot',
  '',
  '__proto__',
  'constructor',
  'toString',
  'İstanbul ß',
  'ПЕС',
  'lone \ud800 surrogate',
  'tail \udc00',
  '"quoted" \\ back\nline\u0000nul\u2028',
  '<script>alert(1)</script>',
  '🐕'.repeat(300),
  'x'.repeat(257),
  '\u202Ertl',
  ' padded ',
]

export const SYMBOLS: readonly [string, ...string[]] = [
  'DOG',
  'dog',
  'MOON',
  'İ',
  '',
  '__proto__',
  '🐕',
  'A"B',
  '\ud83d',
  'S'.repeat(300),
]

export const QUERIES: readonly [string, ...string[]] = [
  'dog',
  'DOG',
  ' Moon ',
  'pump',
  'İ',
  'i̇',
  '__proto__',
  '🐕',
  'o',
  'пес',
  '"',
  'nothing has this',
]

export const X_LINKS: readonly [string, ...string[]] = [
  'https://x.com/dogcoin',
  'https://twitter.com/DogCoin',
  'http://www.x.com/DOGCOIN/',
  'https://mobile.twitter.com/dogcoin?s=21',
  'HTTPS://X.COM/dogcoin#top',
  'https://x.com/someone/status/1234567890',
  'https://twitter.com/i/status/1234567890?t=1',
  'https://x.com/other/status/1234567890/photo/1',
  'https://twitter.com/i/web/status/1234567890',
  'https://x.com/i/communities/99887766',
  'https://twitter.com/i/communities/99887766',
  'https://x.com/search?q=dog',
  'https://x.com/home',
  'https://x.com',
  'https://x.com/',
  'https://x.com/this_handle_is_too_long',
  'https://nitter.net/dogcoin',
  'https://x.com/dogcoin/with_replies',
]

export const LINKS: readonly [string, ...string[]] = [
  'https://dog.example/',
  'http://dog.example/a?b=c&d=<e>',
  'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi',
  'IPFS://Qm',
  ' https://dog.example/ ',
  'javascript:alert(1)',
  'data:text/html,x',
  'dog.example',
  `https://dog.example/${'p'.repeat(600)}`,
  'https://dog.example/\ud800',
]

export const DESCRIPTIONS: readonly [string, ...string[]] = [
  'A dog.',
  'line\nline',
  'é'.repeat(5000),
  '',
  'end \udfff',
]
