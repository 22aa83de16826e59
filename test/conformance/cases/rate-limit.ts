import { checkError } from '../errors.ts'
import { ensure, same, skipUnless, wait } from '../expect.ts'
import { about, type Case, type World } from '../harness.ts'
import { type Answer, header } from '../http.ts'
import { chartPath, searchPath, strangerMint, tradersPath, walletPath } from '../paths.ts'

const test = about('rate limit')

const probe = searchPath(strangerMint)

interface Budget {
  limit: number
  remaining: number
  reset: number
}

function budgetOf(answer: Answer): Budget {
  const read = (name: string): number => {
    const value = header(answer, name)
    ensure(/^\d+$/.test(value), `${name} is ${JSON.stringify(value)}`)
    return Number(value)
  }
  return {
    limit: read('x-ratelimit-limit'),
    remaining: read('x-ratelimit-remaining'),
    reset: read('x-ratelimit-reset'),
  }
}

const hit = ({ http }: World, path: string, method = 'GET'): Promise<Answer> =>
  http.ask(path, { method, impatient: true })

/** Only where the server shows a limit that can be used up. */
const limited = (sentence: string, run: (world: World) => Promise<void>): Case =>
  test(sentence, async (world) => {
    skipUnless(!world.settings.skipRateLimit, 'left out with --skip-rate-limit')
    const shown = header(await world.http.ask(probe), 'x-ratelimit-limit')
    skipUnless(shown !== '', 'the server shows no limit')
    skipUnless(Number(shown) <= 2000, `a limit of ${shown} is too large to use up`)
    await run(world)
  })

/** A budget with room for some requests in one window. */
async function roomy(world: World, path: string, room: number): Promise<Budget> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const budget = budgetOf(await hit(world, path))
    if (budget.remaining >= room && budget.reset > 2) return budget
    await wait(budget.reset * 1000 + 300)
  }
  return budgetOf(await hit(world, path))
}

async function useUp(world: World, path: string): Promise<Answer> {
  const { limit } = budgetOf(await hit(world, path))
  for (let i = 0; i < limit * 2 + 5; i += 1) {
    const answer = await hit(world, path)
    if (answer.status === 429) return answer
  }
  ensure(false, `no 429 after twice the limit of ${limit}`)
}

export const rateLimitCases: Case[] = [
  limited('the limit counts down within its window', async (world) => {
    const before = await roomy(world, probe, 3)
    const after = budgetOf(await hit(world, probe))
    same([after.limit, after.remaining], [before.limit, before.remaining - 1], 'the budget')
    ensure(after.reset <= before.reset && after.reset <= 120, `reset is ${after.reset}`)
  }),
  limited('errors count, HEAD shares the budget of GET, OPTIONS is free', async (world) => {
    const before = await roomy(world, probe, 5)
    const bad = budgetOf(await hit(world, '/api/v2/search/tokens/detailed'))
    same(bad.remaining, before.remaining - 1, 'remaining after a 400')
    const head = budgetOf(await hit(world, probe, 'HEAD'))
    same(head.remaining, before.remaining - 2, 'remaining after a HEAD')
    await hit(world, probe, 'OPTIONS')
    same(budgetOf(await hit(world, probe)).remaining, before.remaining - 3, 'after OPTIONS')
  }),
  limited('past the limit comes a 429 with Retry-After', async (world) => {
    const refused = await useUp(world, walletPath(strangerMint))
    checkError(refused, 429, 'past the limit')
    const budget = budgetOf(refused)
    same(budget.remaining, 0, 'X-RateLimit-Remaining')
    const retry = Number(header(refused, 'retry-after'))
    ensure(Number.isInteger(retry) && retry >= 1 && retry <= 120, `Retry-After is ${retry}`)
    ensure(Math.abs(retry - budget.reset) <= 1, `Retry-After ${retry}, reset ${budget.reset}`)
  }),
  limited('the endpoint is meant, not the path: another wallet is refused too', async (world) => {
    await useUp(world, walletPath(strangerMint))
    same((await hit(world, walletPath('Another'))).status, 429, 'status for another wallet')
  }),
  limited('other endpoints and the probes are not touched', async (world) => {
    const before = await roomy(world, tradersPath(strangerMint), 3)
    await useUp(world, walletPath(strangerMint))
    const after = await hit(world, tradersPath(strangerMint))
    same(after.status, 200, 'status of the traders')
    ensure(budgetOf(after).limit === before.limit, 'the limit of the traders')
    same((await hit(world, '/healthz')).status, 200, '/healthz')
  }),
  limited('when the window is over requests pass again', async (world) => {
    skipUnless(world.settings.slow, 'only with --slow')
    const path = chartPath(strangerMint, 0, 1, '1')
    const refused = await useUp(world, path)
    await wait(Number(header(refused, 'retry-after')) * 1000 + 300)
    same((await hit(world, path)).status, 200, 'status after Retry-After')
  }),
]
