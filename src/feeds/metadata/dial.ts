import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { isPublicAddress } from './public-address.ts'

/** Opens a TLS connection to this very address and wants the certificate of `host`. */
export type Dial = (address: string, host: string) => TLSSocket

export const HTTPS_PORT = 443

/** @throws Error when the address is not public, whoever asks */
export function dialPublic(address: string, host: string): TLSSocket {
  if (!isPublicAddress(address)) throw new Error(`${address} is not a public address`)
  return connect({
    host: address,
    port: HTTPS_PORT,
    // An address has no name to send; its certificate must then be for the address.
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
  })
}
