import { Random } from '../src/base/random.ts'

const STARTS = 'moon,tiny,giga,turbo,baby,pixel,space,lazy,royal,angry,golden,neon'.split(',')
const ENDS = 'dog,cat,frog,pepe,goat,ape,shark,hamster,penguin,toad,bull,bonk'.split(',')
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const WORDS = 200
const SHORTEST = 1
const LONGEST = 6

/** Queries as people type them: whole names, their beginnings, some letters, things nobody has. */
export function searchWords(seed: number): string[] {
  const random = new Random(seed)
  const one = (list: readonly string[]) => list[random.below(list.length)]
  const letters = () =>
    Array.from({ length: random.between(SHORTEST, LONGEST) }, () => one([...LETTERS])).join('')
  const kinds = [
    () => `${one(STARTS)} ${one(ENDS)}`,
    () => one([...STARTS, ...ENDS]),
    () => one([...STARTS, ...ENDS]).slice(0, random.between(1, 3)),
    () => `${one(STARTS)} ${one(ENDS)} ${random.below(1_000)}`,
    letters,
  ]
  return Array.from({ length: WORDS }, (_, i) => kinds[i % kinds.length]())
}
