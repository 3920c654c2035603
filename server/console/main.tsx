/** The entry of the console in the browser. */
import './styles/base.css'
import './styles/shell.css'
import './styles/parts.css'
import './styles/pages.css'
import { render } from 'preact'
import { App } from './app.js'
import { follow } from './state/live.js'
import { listenToKeys } from './state/keys.js'
import { keepSending } from './state/votes.js'

listenToKeys()
keepSending()
follow()
render(<App />, document.getElementById('app') as HTMLElement)
