import { requestError } from '../../protocol/errors.ts'
import { badCursor, parseCursor, parsePage, parseSwaps } from '../../protocol/requests/pages.ts'
import { accept, quoted } from '../../protocol/requests/parsed.ts'
import type { QueryParameters } from '../../protocol/requests/query-parameters.ts'
import type { TokenReads } from '../../query/token-reads.ts'
import { errorReply, jsonReply, type Reply } from '../http/reply.ts'
import { type Answered, GET_API, onceFound, type Route, slice, UNFINISHED } from '../http/router.ts'

/** The additive reads of a token (docs/live.md). */
export function tokenReadRoutes(reads: TokenReads): readonly Route[] {
  return [
    {
      ...GET_API,
      name: 'token_detail',
      path: '/api/v2/tokens/:mint',
      answer: ({ word: mint }) => {
        if (!reads.hasFoundDetail(mint, slice())) return UNFINISHED
        const json = reads.detail(mint)
        return json === null ? accept(unknownMint(mint)) : accept(jsonReply(json))
      },
    },
    {
      ...GET_API,
      name: 'token_holders',
      path: '/api/v2/tokens/:mint/holders',
      answer: ({ word: mint, parameters }) => {
        const page = parsePage(parameters)
        if (!page.ok) return page
        return onceFound(
          (mayGoOn) => reads.hasFoundHolders(mint, mayGoOn),
          () => reads.holders(mint, page.value),
        )
      },
    },
    {
      ...GET_API,
      name: 'token_first_buyers',
      path: '/api/v2/tokens/:mint/first-buyers',
      answer: ({ word: mint, parameters }) => {
        const page = parsePage(parameters)
        if (!page.ok) return page
        return onceFound(
          (mayGoOn) => reads.hasFoundFirstBuyers(mint, mayGoOn),
          () => reads.firstBuyers(mint, page.value),
        )
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
        ? answerCursor(reads, call.word, call.parameters)
        : route.answer(call),
  }
}

function answerCursor(reads: TokenReads, mint: string, parameters: QueryParameters): Answered {
  const cursor = parseCursor(parameters)
  if (!cursor.ok) return cursor
  const swaps = parseSwaps(parameters)
  if (!swaps.ok) return swaps
  const text = parameters.get('cursor')?.[0] ?? ''
  if (cursor.value === null) return badCursor(text)
  const { wallet } = swaps.value
  if (!reads.hasFoundSwapsFrom(mint, wallet, cursor.value, slice())) return UNFINISHED
  const json = reads.swapsFrom(mint, wallet, cursor.value)
  return json === null ? badCursor(text) : accept(jsonReply(json))
}

function unknownMint(mint: string): Reply {
  const message = `The mint ${quoted(mint)} is not known.`
  return errorReply(requestError('not_found', message, [{ path: 'mint', message }]))
}
