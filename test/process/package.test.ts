import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../tidy/source-files.ts'

/** The files that `npm pack` puts into the tarball; the bundle is that of the last build. */
function packedFiles(): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'mintfeed-pack-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder]
  const name = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  const list = execFileSync('tar', ['-tzf', join(folder, name)], { encoding: 'utf8' })
  return list.trim().split('\n')
}

test('npm pack takes what a start needs, and no sources: Node runs none below node_modules', () => {
  const files = packedFiles()
  for (const file of [
    'bin/mintfeed.js',
    'bin/program-path.js',
    'dist/main.js',
    'web/dist/index.html',
  ])
    expect(files).toContain(`package/${file}`)
  expect(files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))).toEqual([])
}, 60_000)
