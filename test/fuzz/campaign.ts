import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stackOf } from '../../src/base/errors.ts'
import { Random } from '../../src/base/random.ts'
import { ROOT } from '../tidy/source-files.ts'
import { mutated } from './mutations.ts'
import type { FuzzTarget } from './target.ts'
import { ChainFrames } from './targets/chain-frames.ts'
import { EventLines } from './targets/event-lines.ts'
import { headers } from './targets/headers.ts'
import { liveMessages } from './targets/live-messages.ts'
import { queryStrings } from './targets/query-strings.ts'
import { StoreFiles } from './targets/store-files.ts'
import { tableBodies } from './targets/table-bodies.ts'
import { tokenTexts } from './targets/token-texts.ts'

const CORPUS = join(ROOT, 'test/fuzz/corpus')
/** One small input that takes longer is a hang in the making; generous, for busy machines. */
const INPUT_MS_MAX = 2000
/** Inputs made lately, to take pieces from. */
const RECENT_MAX = 64

/** Every reader of the service that works on bytes alone. */
export function allTargets(): FuzzTarget[] {
  return [
    queryStrings,
    tableBodies,
    liveMessages,
    headers,
    tokenTexts,
    new EventLines(),
    new ChainFrames(),
    new StoreFiles(),
  ]
}

/** An input that broke a rule. */
export interface Finding {
  readonly target: string
  readonly input: Buffer
  readonly reason: string
}

/** Inputs of a target that once broke a rule, or that show what its format looks like. */
export function corpusOf(target: string): Buffer[] {
  const folder = join(CORPUS, target)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name)))
}

/** Keeps an input in the corpus, named by its contents; returns its path from the root. */
export function keepInCorpus({ target, input }: Finding): string {
  const folder = join(CORPUS, target)
  mkdirSync(folder, { recursive: true })
  const name = createHash('sha256').update(input).digest('hex').slice(0, 16)
  writeFileSync(join(folder, name), input)
  return join('test/fuzz/corpus', target, name)
}

/** Runs one input; null when every rule held. */
export function tryInput(target: FuzzTarget, input: Buffer): Finding | null {
  const startedMs = performance.now()
  try {
    target.run(input)
  } catch (error) {
    return { target: target.name, input, reason: stackOf(error) }
  }
  const tookMs = performance.now() - startedMs
  if (tookMs <= INPUT_MS_MAX) return null
  return { target: target.name, input, reason: `it took ${Math.round(tookMs)} ms` }
}

/**
 * Inputs of one target from a seed: made anew, or changed from the corpus and from the last ones.
 * Yields each finding; the same seed and count give the same inputs.
 */
export function* campaign(target: FuzzTarget, seed: number, count: number): Generator<Finding> {
  const random = new Random(seed)
  const corpus = corpusOf(target.name)
  const recent: Buffer[] = []
  for (let index = 0; index < count; index++) {
    const made = target.make(random)
    const known = [...recent.slice(0, 2), ...corpus]
    const from = known.length > 0 && random.chance(0.3) ? random.pick(known) : made
    const input = random.chance(0.35) ? from : mutated(from, random, target.words, known)
    recent[index % RECENT_MAX] = input
    const finding = tryInput(target, input)
    if (finding !== null) yield finding
  }
}
