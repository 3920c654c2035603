import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { routes } from '../../../server/routes/index.js'
import { tools } from '../../../server/mcp/tools.js'
import { root } from '../../support/source-tree.js'

test('a tool needs the scopes of the operations that it uses, and no others', () => {
  const scopes = new Map(routes.map(({ operationId, scope }) => [operationId, scope]))
  for (const tool of tools) {
    const needed = new Set(tool.operations.map((name) => scopes.get(name) ?? assert.fail(name)))
    const named = new Set<string>(tool.scopes)
    needed.delete('public')
    named.delete('public')
    assert.deepEqual([...named].sort(), [...needed].sort(), tool.name)
  }
})

test('the library of the protocol is loaded with the first request, not with the service', () => {
  const folder = join(root, '.build/bundle/service')
  const seen = new Set<string>()
  const load = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    const text = readFileSync(join(folder, file), 'utf8')
    assert.doesNotMatch(text, /@modelcontextprotocol/, file)
    for (const [, next] of text.matchAll(/^(?:import|export) .*["']\.\/([^"']+)["']/gm)) load(next as string)
  }
  load('main.js')
  assert.ok(readdirSync(folder).some((file) => /@modelcontextprotocol/.test(readFileSync(join(folder, file), 'utf8'))))
})

test('names of tools are unique', () => {
  assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length)
})
