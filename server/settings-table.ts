/** `npm run docs`: writes the table of settings into the README. A test checks that the README is up to date. */
import { readFileSync, writeFileSync } from 'node:fs'
import { settingsMarkdown } from './config.js'

const README = 'README.md'
const TABLE = /\| name \| what \| default \|\n(\|.*\n)+/

const text = readFileSync(README, 'utf8')
if (!TABLE.test(text)) throw new Error(`${README} has no table of settings to replace`)
writeFileSync(
  README,
  text.replace(TABLE, () => `${settingsMarkdown()}\n`),
)
