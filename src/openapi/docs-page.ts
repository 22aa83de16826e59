import { ENDPOINTS } from './endpoints.ts'
import { exampleOf } from './examples.ts'
import { LIVE_MESSAGES } from './live-messages-schemas.ts'

const STYLE =
  'body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}' +
  // Fixed: long lines of an example scroll in their place and widen no column.
  'table{border-collapse:collapse;width:100%;table-layout:fixed}' +
  'td{border-top:1px solid #8884;padding:.4rem;vertical-align:top;overflow-wrap:anywhere}td:first-child{width:36%}' +
  'pre{overflow:auto;max-height:18rem;background:#8881;padding:.6rem}code{font-size:.95em}'

const SENT_BY = { service: '', client: ' (from the client)', either: ' (from either side)' }

/** `/docs`: endpoints and messages on one page, each with its example, without outside requests. */
export function docsHtml(): string {
  const endpoints = ENDPOINTS.map(({ id, method, path, summary, parameters }) => {
    const names = parameters.map(({ name }) => name).join(', ')
    return row(`<code>${method.toUpperCase()} ${path}</code>`, `${summary}<br>${names}`, id)
  })
  const messages = LIVE_MESSAGES.map(({ name, summary, sender }) =>
    row(`<code>${name}</code>`, `${summary}${SENT_BY[sender]}`, name),
  )
  return (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>mintfeed</title>' +
    '<meta name="viewport" content="width=device-width,initial-scale=1">' +
    `<style>${STYLE}</style><h1>mintfeed</h1>` +
    '<p><a href="/openapi.json">openapi.json</a> · <a href="/asyncapi.json">asyncapi.json</a></p>' +
    `<h2>HTTP</h2><table>${endpoints.join('')}</table>` +
    `<h2>WebSocket <code>/ws?id=…</code></h2><table>${messages.join('')}</table></html>`
  )
}

function row(what: string, about: string, name: string): string {
  const example = exampleOf(name)
  const shown = example === undefined ? '' : escaped(JSON.stringify(example, null, 2))
  const folded =
    shown === '' ? '' : `<details><summary>example</summary><pre>${shown}</pre></details>`
  return `<tr><td>${what}</td><td>${about}${folded}</td></tr>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
