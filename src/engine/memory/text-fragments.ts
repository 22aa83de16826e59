/**
 * What texts of tokens often have: links, and groups of letters that English and its meme coins are full of. They were chosen
 * by how many bytes each saves in texts of recorded launches. The order and the words are a part of the format of snapshots
 * (`text-code.ts`): a change of any is a new version of it.
 */
const LINKS = [
  ...['https://', 'https://www.', 'https://ipfs.io/ipfs/Qm', 'https://ipfs.io/ipfs/bafkrei'],
  ...['https://ipfs.io/ipfs/bafybei', 'ipfs://Qm', '/ipfs/', 'https://metadata.', '/metadata/'],
  ...['https://pbs.twimg.com/', 'https://x.com/', 'https://x.com/i/communities/', '/status/'],
  ...['/status/18', '/status/19', '/status/20', 'https://twitter.com/', 'https://t.me/'],
  ...['https://www.tiktok.com/', 'https://www.tiktok.com/@', '/video/7', 'tiktok'],
  ...['https://www.youtube.com/', 'watch?v=', 'https://www.instagram.com/', '%20'],
  ...['https://www.reddit.com/r/', '.wikipedia.org/wiki/', '.com/', '.fun', '.io', '.xyz'],
  ...['.json', '.jpg', '.png'],
]
const WORDS = [
  ...[
    'coin',
    'dog',
    'cat',
    'pepe',
    'moon',
    'sol',
    'com',
    'Just',
    'with ',
    'for',
    'you',
    'on ',
    'of ',
  ],
  ...[
    ' the ',
    'the ',
    'the',
    'The ',
    'and ',
    'ing ',
    ', ',
    '. ',
    '\n',
    '\r\n',
    '00',
    '20',
    ' t',
    'ver',
  ],
]
const LETTERS = [
  ...'ac ai al am an ar as at ba be bo ca ce ch ck co de di do ea el en es fi ga go ha he hi'.split(
    ' ',
  ),
  ...'ho ia ic il in ir is it ke la le li ll lo ma me mi mo nd ne ng nt ol on or ot ou pa pe po ra'.split(
    ' ',
  ),
  ...'re ri ro se sh so st ta te th ti to tr un um ur us ve wi'.split(' '),
  ...['a ', 'd ', 'e ', 'l ', 'n ', 'o ', 'r ', 's ', 't ', 'y '],
]

export const FRAGMENTS: readonly string[] = [...LINKS, ...WORDS, ...LETTERS]
