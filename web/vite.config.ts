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

/** Tells the page the name of what draws charts, which may have to be asked for more than once (chart-loading.ts). */
function chartName(): Plugin {
  return {
    name: 'chart-name',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const files = Object.values(bundle ?? {})
        const chart = files.find((file) => file.type === 'chunk' && file.name === 'chart-canvas')
        if (chart === undefined) return []
        const attrs = { name: 'chart-canvas', content: `/${chart.fileName}` }
        return [{ tag: 'meta', attrs, injectTo: 'head' }]
      },
    },
  }
}

export default defineConfig({
  logLevel: 'warn',
  plugins: [chartName(), compressedForms()],
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
