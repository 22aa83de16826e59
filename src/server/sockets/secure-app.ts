import type { TemplatedApp } from 'uWebSockets.js'
import type { TlsFiles } from './tls-files.ts'
import { SSLApp } from './uws.ts'

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
