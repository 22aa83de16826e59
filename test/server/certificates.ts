import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TlsFiles } from '../../src/server/sockets/tls-files.ts'

/** Is there the system's openssl? Tests of TLS are skipped without it. */
export const HAS_OPENSSL = hasOpenssl()

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    console.log('There is no openssl to make certificates with: tests of TLS are skipped.')
    return false
  }
}

/** Makes a certificate for 127.0.0.1 that is signed by itself; without openssl, names of none. */
export function makeCertificate(
  name: string,
  folder = mkdtempSync(join(tmpdir(), 'tls-')),
  key: readonly string[] = ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
  days = 2,
) {
  const files: TlsFiles = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  const curve = ['-newkey', ...key, '-nodes']
  const subject = ['-days', String(days), '-subj', `/CN=${name}`]
  const out = ['-keyout', files.keyFile, '-out', files.certFile]
  if (HAS_OPENSSL)
    execFileSync('openssl', ['req', '-x509', ...curve, ...subject, ...out], { stdio: 'ignore' })
  return { ...files, folder }
}
