/** `npm run docs`: writes the page about settings in the manual, from the table of settings. */
import { writeFileSync } from 'node:fs'
import { SETTINGS_PAGE, settingsPage } from './docs/settings-page.js'

writeFileSync(SETTINGS_PAGE, settingsPage())
