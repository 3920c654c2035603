/** `npm run docs`: writes the manual's page about settings from the settings themselves. */
import { writeFileSync } from 'node:fs'
import { SETTINGS_PAGE, settingsPage } from './docs/settings-page.js'

writeFileSync(SETTINGS_PAGE, settingsPage())
