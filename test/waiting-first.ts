import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that wait long for programs, browsers and disks, the longest first but for the last. */
const WAITING = [
  'process/cluster-crash',
  'model/histories-1',
  'model/histories-2',
  'model/histories-3',
  'model/histories-4',
  'store/crash-points',
  'store/faulty-disk',
  'process/durability',
  'browser/market',
  'process/epoch',
  'process/market',
  'process/demo',
  // Beside the first one a slow machine has no time left for its programs.
  'process/crash',
].map((name) => `/test/${name}.test.ts`)

/** A new clone knows no durations: one long file that begins last would hold up the run by itself. */
export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    const rank = ({ project, moduleId }: TestSpecification) => {
      const at = WAITING.findIndex((path) => moduleId.endsWith(path))
      return projects.indexOf(project.name) * 1_000 + (at < 0 ? WAITING.length : at)
    }
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
