/** What does not keep to rooms.ts yet. Nothing is added here, and an entry goes once its imports have ended. */

/** Imports that no arrow allows, with how many there are. */
export const KNOWN_FORBIDDEN: Readonly<Record<string, number>> = {}

/** Folders that import themselves by way of others. */
export const KNOWN_FOLDER_CYCLES: readonly string[] = []

/** How much there may be of the source. Lines grow with features: past these a part is to be merged or to go. */
export const MOST: Readonly<Record<string, number>> = {
  files: 320,
  lines: 60_000,
  exportedNames: 1_300,
  types: 680,
}
