/** What somebody has to confirm, above whatever page is shown. */
import { confirmation } from '../state/confirmation.js'
import { plainText } from './event-title.js'
import { Confirm } from './confirm.js'

export function Confirmations() {
  const one = confirmation.value
  if (one === null) return null
  const close = (): void => {
    if (confirmation.peek() === one) confirmation.value = null
  }
  return (
    <Confirm key={one.text} title={one.title} verb={one.verb} close={close} act={one.act}>
      <p class="bidi">{plainText(one.text)}</p>
    </Confirm>
  )
}
