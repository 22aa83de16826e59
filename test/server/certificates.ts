import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TlsFiles } from '../../src/server/tls-files.ts'

/** Makes a certificate for 127.0.0.1 that is signed by itself. */
export function makeCertificate(name: string, folder = mkdtempSync(join(tmpdir(), 'tls-'))) {
  const files: TlsFiles = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const subject = ['-days', '2', '-subj', `/CN=${name}`]
  const out = ['-keyout', files.keyFile, '-out', files.certFile]
  execFileSync('openssl', ['req', '-x509', ...curve, ...subject, ...out], { stdio: 'ignore' })
  return { ...files, folder }
}
