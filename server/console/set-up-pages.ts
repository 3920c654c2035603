/**
 * The pages of what is set up: an integration, the API keys.
 *
 * 1. A page has no button and no form for what the caller may not do.
 */
import { allowed, ask } from './api.js'
import { button, carefulButton, element, field, table, type Element } from './dom.js'

/** Draws the page again, and shows errors. */
export interface Screen {
  draw(): Promise<void>
  failed(error: unknown): void
}

export type Page = (id: string, screen: Screen) => Promise<Element>

/** An integration as JSON, for editing. */
export const integration: Page = async (id, { draw, failed }) => {
  const may = await allowed()
  const [found] = await ask<readonly { title: string }[]>(
    'GET',
    `/api/v2/resources?resource_type=integration&id=${encodeURIComponent(id)}`,
  )
  if (found === undefined) throw new Error('integration not found')
  const text = element('textarea', { rows: '20', spellcheck: 'false', 'aria-label': 'The integration' })
  text.value = JSON.stringify(found, null, 2)
  const save = button(
    'Save',
    async () => {
      await ask('POST', '/api/v2/resources', [JSON.parse(text.value)])
      await draw()
    },
    failed,
  )
  const head = element('h1', {}, found.title)
  if (!may('write:resources')) return element('section', {}, head, element('pre', {}, text.value))
  const note = 'Secrets are not shown and stay unchanged. If you change the address, enter them again.'
  return element('section', {}, head, element('p', {}, note), text, element('p', {}, save))
}

interface Key {
  readonly id: string
  readonly name: string
  readonly key_type: string
  readonly created_at: string
}

/** The API keys. A new key is shown only once. */
export const keys: Page = async (_id, { draw, failed }) => {
  const may = await allowed()
  const found = await ask<readonly Key[]>('GET', '/api/v2/resources?resource_type=api_key')
  const rows = found.map(({ id, name, key_type, created_at }) => [
    name,
    key_type,
    created_at.slice(0, 10),
    may('delete:resources', 'write:api_keys')
      ? carefulButton(
          'Delete',
          `Delete the key ${name}? Requests that use it will be refused.`,
          async () => {
            await ask('DELETE', `/api/v2/resources?resource_type=api_key&id=${encodeURIComponent(id)}`)
            await draw()
          },
          failed,
        )
      : '',
  ])
  const name = field('text', 'Name of a new key')
  const shown = element('code')
  const make = button(
    'Make',
    async () => {
      const resource = { key: { type: 'api_key', properties: { name: name.value } } }
      const { created } = await ask<{ created: readonly { value?: string }[] }>(
        'POST',
        '/api/v2/resources?overwrite=false',
        resource,
      )
      shown.textContent = `Shown only once: ${created[0]?.value ?? ''}`
    },
    failed,
  )
  return element(
    'section',
    {},
    element('h1', {}, 'API keys'),
    table(['Name', 'Type', 'Since', ''], rows),
    ...(may('write:resources', 'write:api_keys') ? [element('p', {}, name, ' ', make, ' ', shown)] : []),
  )
}
