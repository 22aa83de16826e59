import type { ProgramName } from './programs.ts'

/** Borsh types that occur in the events, written as the IDLs write them. */
export type FieldType =
  | 'u8'
  | 'u16'
  | 'u64'
  | 'i64'
  | 'i128'
  | 'bool'
  | 'pubkey'
  | 'string'
  | 'vec<Shareholder>'

/** Field name to type, in the order of the bytes. */
export type Fields = Readonly<Record<string, FieldType>>

export interface Shareholder {
  readonly address: string
  readonly share_bps: number
}

/** u8 and u16 are numbers, wider integers bigint, pubkeys base58. */
export type FieldValue = number | bigint | boolean | string | readonly Shareholder[]

export interface EventLayout<F extends Fields> {
  readonly program: ProgramName
  readonly name: string
  /** First eight bytes as hex. The programs share some: only (program, discriminator) is unique. */
  readonly discriminator: string
  readonly fields: F
  readonly names: readonly string[]
  readonly types: readonly FieldType[]
  readonly indexes: ReadonlyMap<string, number>
}

export type AnyEventLayout = EventLayout<Fields>

/** Names of the fields of these types. */
export type NamesOf<F extends Fields, T extends FieldType> = {
  [K in keyof F & string]: F[K] extends T ? K : never
}[keyof F & string]

export function eventLayout<const F extends Fields>(
  program: ProgramName,
  name: string,
  discriminator: string,
  fields: F,
): EventLayout<F> {
  const names = Object.keys(fields)
  return {
    program,
    name,
    discriminator,
    fields,
    names,
    types: Object.values(fields),
    indexes: new Map(names.map((field, index) => [field, index])),
  }
}
