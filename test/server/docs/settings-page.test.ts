import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { settingsTable } from '../../../server/config.js'
import { SETTINGS_PAGE, settingsPage } from '../../../server/docs/settings-page.js'

test('the page of the manual is what the settings say: npm run docs writes it', () => {
  assert.equal(readFileSync(SETTINGS_PAGE, 'utf8'), settingsPage())
})

test('every setting is on the page once, with its meaning and its default', () => {
  const page = settingsPage()
  for (const { name, meaning, ...setting } of Object.values(settingsTable)) {
    const rows = page.split('\n').filter((line) => line.startsWith(`| \`${name}\``))
    assert.equal(rows.length, 1, name)
    const row = rows[0] as string
    assert.ok(row.includes(meaning), name)
    if ('fallback' in setting && setting.fallback !== '') assert.ok(row.includes(`| \`${setting.fallback}\` `), name)
  }
})
