import type { TemplatedApp } from 'uWebSockets.js'
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { codeOf } from '../../base/errors.ts'
import type { Surface } from '../../config/surface.ts'
import { SSLApp } from './uws.ts'

/** TLS_CERT and TLS_KEY. */
export type TlsFiles = NonNullable<Surface['tls']>

/** How the two kinds of PEM say that a key has a passphrase. */
const LOCKED_KEY = /^(-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED)/m

/**
 * Reads both files and sees that they belong together; returns the unix second at which the
 * certificate ends. Throws an Error of one sentence that says what to mend.
 */
export function checkTlsFiles({ certFile, keyFile }: TlsFiles): number {
  const cert = textOf('TLS_CERT', certFile)
  const key = textOf('TLS_KEY', keyFile)
  if (LOCKED_KEY.test(key))
    throw new Error(
      `TLS_KEY ${keyFile} has a passphrase, which nobody is asked for: give the key without one.`,
    )
  let endsAt: number
  try {
    createSecureContext({ cert, key })
    const certificate = new X509Certificate(cert)
    // A context holds a certificate of one kind beside a key of another, and serves neither.
    if (!certificate.checkPrivateKey(createPrivateKey(key))) throw new Error('another key')
    endsAt = Date.parse(certificate.validTo) / 1000
  } catch {
    // The reason of OpenSSL may quote the file.
    throw new Error(
      `TLS_CERT ${certFile} and TLS_KEY ${keyFile} are no PEM certificate with its own key.`,
    )
  }
  return endsAt
}

/** Equal for equal contents of both files. */
export function tlsFingerprint({ certFile, keyFile }: TlsFiles): string {
  const hash = createHash('sha256').update(textOf('TLS_CERT', certFile))
  return hash.update('\0').update(textOf('TLS_KEY', keyFile)).digest('hex')
}

function textOf(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`${name} ${file} cannot be read: ${codeOf(error) || error}.`)
  }
}

/**
 * An app that speaks TLS with these files, once `checkTlsFiles` takes them: the TLS of uWebSockets.js reads
 * less than that of Node. Throws an Error of one sentence that says what it takes.
 */
export function secureApp({ certFile, keyFile }: TlsFiles): TemplatedApp {
  try {
    return SSLApp({ cert_file_name: certFile, key_file_name: keyFile })
  } catch {
    // It says that it failed, and never why.
    throw new Error(
      `TLS_CERT ${certFile} and TLS_KEY ${keyFile} cannot be served: take PEM files without a byte order ` +
        'mark, and a key of RSA (not RSA-PSS), ECDSA (P-256, P-384, P-521) or Ed25519.',
    )
  }
}
