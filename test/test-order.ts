import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that only compute, minutes each. Two of them at once slow each other down on a core's two threads. */
const COMPUTES = /\/model\/histories-\d\.test\.ts$/

/**
 * The usual order, with the files that only compute spread evenly over it: while one worker computes,
 * the other runs tests that mostly wait for processes and sockets.
 */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files)
    const others = usual.filter(({ moduleId }) => !COMPUTES.test(moduleId))
    const computing = usual.filter(({ moduleId }) => COMPUTES.test(moduleId))
    const apart = Math.ceil(others.length / Math.max(1, computing.length))
    return [
      ...computing.flatMap((file, i) => [file, ...others.slice(i * apart, (i + 1) * apart)]),
      ...others.slice(computing.length * apart),
    ]
  }
}
