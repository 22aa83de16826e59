import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

/** Below this a compressed form saves no packet. */
const MIN_COMPRESSED_BYTES = 1024

/** Puts the best brotli and gzip forms beside each file, so that the server only sends bytes. */
function compressedForms(): Plugin {
  return {
    name: 'compressed-forms',
    writeBundle({ dir }) {
      if (dir === undefined) return
      for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(css|html|js|svg)$/.test(name)) continue
        const bytes = readFileSync(join(dir, name))
        if (bytes.length < MIN_COMPRESSED_BYTES) continue
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(bytes))
        writeFileSync(join(dir, `${name}.gz`), gzipSync(bytes, { level: 9 }))
      }
    },
  }
}

export default defineConfig({
  logLevel: 'warn',
  plugins: [compressedForms()],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Compressing is most of a build that takes two seconds: nothing to be told about.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  // `npx vite web` beside a running service, for work on the page itself.
  server: { proxy: { '/api': 'http://127.0.0.1:8080', '/ws': 'ws://127.0.0.1:8080' } },
})
