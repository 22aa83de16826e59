import { expect, test } from 'vitest'
import { pictureLink } from '../../web/src/text/picture-link.ts'

const CID = 'QmNXRiSFc83i6ZJvS56kBobFpj7bUAN2b7mRE18tpiSpZe'
const BASE32 = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'
const LIVE = 'https://ipfs.filebase.io/ipfs'

test('a picture on a gateway that was switched off is asked for at one that answers', () => {
  for (const host of ['ipfs.io', 'dweb.link', 'w3s.link', 'cf-ipfs.com', 'cloudflare-ipfs.com']) {
    expect(pictureLink(`https://${host}/ipfs/${CID}/a.png?x=1`)).toBe(`${LIVE}/${CID}/a.png`)
    expect(pictureLink(`https://${BASE32}.ipfs.${host}/`)).toBe(`${LIVE}/${BASE32}/`)
  }
  expect(pictureLink(` ipfs://${CID} `)).toBe(`${LIVE}/${CID}`)
})

test('other pictures are asked for where they are, and what is no safe link is none', () => {
  for (const link of [`https://mine.example/ipfs/${CID}`, 'https://a.example/toad.png'])
    expect(pictureLink(link)).toBe(link)
  for (const link of ['http://a.example/', 'ipfs://x', 'javascript:alert(1)', '', null, undefined])
    expect(pictureLink(link)).toBeNull()
})
