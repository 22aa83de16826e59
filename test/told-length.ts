import { basename, dirname } from 'node:path'
import { LENGTH } from './lengths.ts'
import { LONG_FILES } from './long-files.ts'

/** Says at the end of a short run what it was not. */
export default function toldLength(): () => void {
  return () => {
    if (LENGTH === 'short') console.log(shortFormText())
    else if (LENGTH === 'few cases') console.log(FEW_CASES)
  }
}

const FEW_CASES =
  '\nRandom tests took a part of their cases. `make test-long` runs everything at full length.'

function shortFormText(): string {
  const folders = Map.groupBy(LONG_FILES, (file) => basename(dirname(file)))
  const left = [...folders].map(([folder, files]) => `${files.length} of ${folder}`)
  return (
    `\nThis was the short form: random tests took a part of their cases, and ${LONG_FILES.length} files ` +
    `of test/ were left out (${left.join(', ')}; test/long-files.ts). \`make test-long\` runs everything at full length.`
  )
}
