/** Recipes for tools for agents. */
import type { Ask, Recipes } from './recipe.js'

const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
const message = { jsonrpc: '2.0', id: 1, method: 'ping' }

function ask(more: Partial<Ask> = {}): () => Ask {
  return () => ({ path: '/mcp', body: message, ...more })
}

export const toolRecipes: Recipes = {
  postMcp: {
    good: ask({ headers }),
    refusals: {
      202: ask({ headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } }),
      400: ask({ body: '{"broken' }),
      401: ask({ key: null }),
      406: ask({ headers: { 'content-type': 'application/json' } }),
      403: ask({ headers: { origin: 'https://evil.example' } }),
      413: ask({ body: Buffer.alloc(20 * 1024 * 1024, ' ') }),
      422: ask({ headers: { 'content-type': 'application/json' }, body: '["no object"]' }),
      415: ask({ headers: { 'content-type': 'text/plain' } }),
    },
  },
}
