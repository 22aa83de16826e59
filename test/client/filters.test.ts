import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../tidy/source-files.ts'

test("the client's filters are a copy of the service's: cp src/protocol/filters.ts client/src/", () => {
  const [service, client] = ['src/protocol', 'client/src'].map((folder) =>
    readFileSync(join(ROOT, folder, 'filters.ts'), 'utf8'),
  )
  expect(client).toBe(service)
})
