/** Writes the recording that the package brings anew: node packaging/make-recording.ts */
import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { RECORDING, recordedLines } from './recorded-market.ts'

const text = recordedLines()
  .map((line) => `${line}\n`)
  .join('')
const packed = gzipSync(text, { level: 9 })
writeFileSync(new URL(`../${RECORDING}`, import.meta.url), packed)
console.log(`${RECORDING}: ${text.length} characters, ${packed.length} bytes packed`)
