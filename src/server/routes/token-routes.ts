import type { Budget } from '../../base/budget.ts'
import { requestError } from '../../protocol/errors.ts'
import type { TokenReads } from '../../protocol/queries.ts'
import {
  accept,
  type Parsed,
  type QueryParameters,
  quoted,
} from '../../protocol/requests/parsers.ts'
import { badCursor, parseCursor, parsePage, parseSwaps } from '../../protocol/requests/tokens.ts'
import { errorReply, jsonReply, type Reply } from '../http/reply.ts'
import { GET_API, type Route } from '../http/router.ts'

/** The additive reads of a token (docs/live.md). */
export function tokenReadRoutes(reads: TokenReads): readonly Route[] {
  return [
    {
      ...GET_API,
      name: 'token_detail',
      path: '/api/v2/tokens/:mint',
      answer: ({ word: mint, budget }) => {
        const json = reads.detail(mint, budget)
        return json === null ? accept(unknownMint(mint)) : accept(jsonReply(json))
      },
    },
    {
      ...GET_API,
      name: 'token_holders',
      path: '/api/v2/tokens/:mint/holders',
      answer: ({ word: mint, parameters, budget }) => {
        const page = parsePage(parameters)
        return page.ok ? accept(jsonReply(reads.holders(mint, page.value, budget))) : page
      },
    },
    {
      ...GET_API,
      name: 'token_first_buyers',
      path: '/api/v2/tokens/:mint/first-buyers',
      answer: ({ word: mint, parameters, budget }) => {
        const page = parsePage(parameters)
        return page.ok ? accept(jsonReply(reads.firstBuyers(mint, page.value, budget))) : page
      },
    },
  ]
}

/** The swap history with a `cursor` beside pages; the route is otherwise as it was. */
export function withCursors(route: Route, reads: TokenReads): Route {
  return {
    ...route,
    answer: (call) =>
      call.parameters.has('cursor')
        ? answerCursor(reads, call.word, call.parameters, call.budget)
        : route.answer(call),
  }
}

function answerCursor(
  reads: TokenReads,
  mint: string,
  parameters: QueryParameters,
  budget: Budget,
): Parsed<Reply> {
  const cursor = parseCursor(parameters)
  if (!cursor.ok) return cursor
  const swaps = parseSwaps(parameters)
  if (!swaps.ok) return swaps
  const text = parameters.get('cursor')?.[0] ?? ''
  if (cursor.value === null) return badCursor(text)
  const { wallet } = swaps.value
  const json = reads.swapsFrom(mint, wallet, cursor.value, budget)
  return json === null ? badCursor(text) : accept(jsonReply(json))
}

function unknownMint(mint: string): Reply {
  const message = `The mint ${quoted(mint)} is not known.`
  return errorReply(requestError('not_found', message, [{ path: 'mint', message }]))
}
