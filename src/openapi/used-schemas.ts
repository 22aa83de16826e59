import { RESOURCE_SCHEMAS } from './resources.ts'
import type { Schema } from './schema.ts'

const REFERENCE = /"\$ref":"#\/components\/schemas\/(\w+)"/g

/**
 * The components that a document refers to, by themselves or through each other: makers of clients write a type
 * for every one that is there, and linters complain of one that nothing uses.
 */
export function usedSchemas(document: object): Readonly<Record<string, Schema>> {
  const used = new Set<string>()
  const look = (part: object) => {
    for (const [, name] of JSON.stringify(part).matchAll(REFERENCE)) {
      if (used.has(name)) continue
      used.add(name)
      look(RESOURCE_SCHEMAS[name])
    }
  }
  look(document)
  return Object.fromEntries(Object.entries(RESOURCE_SCHEMAS).filter(([name]) => used.has(name)))
}
