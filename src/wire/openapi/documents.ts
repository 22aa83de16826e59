import { METRICS, RESOURCES, type Resource } from '../../engine/metrics.ts'
import { ENDPOINTS, type Endpoint } from './endpoints.ts'

const TYPES = {
  number: 'number',
  boolean: 'boolean',
  text: 'string',
  'optional text': ['string', 'null'],
  'text or null': ['string', 'null'],
  time: ['string', 'null'],
} as const

/** `/openapi.json`, from the endpoints and the table of metrics. */
export function openApiJson(): string {
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'mintfeed', version: '2' },
    paths: Object.fromEntries(ENDPOINTS.map((endpoint) => [endpoint.path, pathOf(endpoint)])),
    components: { schemas: Object.fromEntries(RESOURCES.map((name) => [name, schemaOf(name)])) },
  })
}

function pathOf(endpoint: Endpoint): object {
  const words = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const query = endpoint.parameters.map((parameter) => ({ ...parameter, in: 'query' }))
  const body = { requestBody: { content: { 'application/json': { schema: { type: 'object' } } } } }
  const operation = {
    summary: endpoint.summary,
    parameters: [...words, ...query],
    ...(endpoint.method === 'post' ? body : {}),
    responses: { 200: { description: 'The answer' }, 400: { description: 'A bad request' } },
  }
  return { [endpoint.method]: operation }
}

function schemaOf(resource: Resource): object {
  const fields = METRICS.flatMap(({ names, kind }) => {
    const name = names[resource]
    return name === undefined ? [] : [[name, { type: TYPES[kind] }] as const]
  })
  return { type: 'object', properties: Object.fromEntries(fields) }
}

/** `/docs`: the endpoints on one page without outside requests. */
export function docsHtml(): string {
  const rows = ENDPOINTS.map(
    ({ method, path, summary, parameters }) =>
      `<tr><td>${method.toUpperCase()}</td><td>${path}</td><td>${summary}</td>` +
      `<td>${parameters.map(({ name }) => name).join(', ')}</td></tr>`,
  )
  return (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>mintfeed</title>' +
    `<h1>mintfeed</h1><table>${rows.join('')}</table>` +
    '<p><a href="/openapi.json">openapi.json</a></p></html>'
  )
}
