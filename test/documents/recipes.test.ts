import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../new-folder.ts'
import { DUCK, duck } from '../parquet/duck.ts'
import { exportedRecording } from '../parquet/recorded-folder.ts'
import { documentText } from './readme.ts'
import { answeredRecipes, countedRecipes } from './recipes.ts'

test.skipIf(DUCK === null)(
  'each query of the recipes has the answer that is printed below it',
  async () => {
    const text = documentText('docs/recipes.md')
    expect(countedRecipes(text)).toBe(10)
    const out = join(newFolder(), 'market')
    await exportedRecording(out)
    expect(await answeredRecipes(text, out, duck())).toBe(text)
  },
)
