import { setFlagsFromString } from 'node:v8'

/**
 * V8 lets the space of new objects double, from 1 to 16 MiB, each time as much as it holds has survived. After a
 * start from the bundle it stands at 8 MiB, and in an attack so much of it became old that the whole heap was
 * marked twice a second. So the first step is to all of it. V8 looks at this before each step, so that it may
 * be set while the program runs, whoever started it.
 */
export function widenYoungHeap(): void {
  setFlagsFromString('--semi-space-growth-factor=16')
}
