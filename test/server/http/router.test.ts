import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accept } from '../../../src/protocol/requests/parsers.ts'
import { type Route, Router } from '../../../src/server/http/front.ts'
import { jsonReply } from '../../../src/server/http/reply.ts'

function route(path: string): Route {
  return { name: path, method: 'GET', path, isApi: true, answer: () => accept(jsonReply('{}')) }
}

const PATHS = ['/t/:mint', '/t/all', '/t/:mint/swaps', '/:wallet/t', '/t/:mint/t', '/t']
const router = new Router(PATHS.map(route))

test.each([
  ['/t', '/t', null],
  ['/t/all', '/t/all', null],
  ['/t/A', '/t/:mint', { name: 'mint', raw: 'A' }],
  ['/t/A%2Fb', '/t/:mint', { name: 'mint', raw: 'A%2Fb' }],
  ['/t/', '/t/:mint', { name: 'mint', raw: '' }],
  ['/t/A/swaps', '/t/:mint/swaps', { name: 'mint', raw: 'A' }],
  ['/t//swaps', '/t/:mint/swaps', { name: 'mint', raw: '' }],
  ['/W/t', '/:wallet/t', { name: 'wallet', raw: 'W' }],
  ['/t/t', '/t/:mint', { name: 'mint', raw: 't' }],
  ['/t/A/t', '/t/:mint/t', { name: 'mint', raw: 'A' }],
])('the path %s is that of %s, with the word %o', (path, found, named) => {
  const match = router.find(path)
  expect(match?.route.path).toBe(found)
  expect(match?.named).toEqual(named)
})

test.each(['', '/', '/t/A/', '/t/A/b', '/t/A/b/swaps', '/t/swaps/', 't/A', '/x/y', '//', '/T/A'])(
  'the path "%s" is that of no route',
  (path) => {
    expect(router.find(path)).toBeNull()
  },
)

test('any path is found by its pieces, in whatever order the routes are: as many as the route has, the same but for the named one', () => {
  const pieces = fc.array(fc.constantFrom('t', 'all', 'swaps', 'A', '', ':'), { maxLength: 5 })
  const orders = fc.shuffledSubarray(PATHS, { minLength: PATHS.length })
  fc.assert(
    fc.property(pieces, orders, (list, paths) => {
      const path = `/${list.join('/')}`
      const came = path.split('/')
      const fits = (pattern: string) => {
        const own = pattern.split('/')
        return (
          own.length === came.length &&
          own.every((piece, at) => piece.startsWith(':') || piece === came[at])
        )
      }
      const expected = paths.find((own) => own === path) ?? paths.find(fits)
      expect(new Router(paths.map(route)).find(path)?.route.path).toBe(expected)
    }),
    { numRuns: 500 },
  )
})

test('a path with two names is none that the router takes', () => {
  expect(() => new Router([route('/t/:mint/:wallet')])).toThrow('/t/:mint/:wallet')
})
