import { expect } from 'vitest'

/** The error body of contract section 3. */
export interface ErrorJson {
  readonly statusCode: number
  readonly error: string
  readonly message: string
  readonly code: string
  readonly details: readonly { readonly path: string; readonly message: string }[]
}

/** Reads an error answer and checks that it has exactly the keys of the contract. */
export async function errorOf(response: Response): Promise<ErrorJson> {
  const body = (await response.json()) as ErrorJson
  expect(Object.keys(body)).toEqual(['statusCode', 'error', 'message', 'code', 'details'])
  expect(body.statusCode).toBe(response.status)
  return body
}
