/** Any JSON object: it is the event as it came. */
import { eventOf, type InboundFormat } from './format.js'

export const plain: InboundFormat = {
  name: 'json',
  recognizes: () => true,
  event: (item) => eventOf(item, null, undefined, undefined),
}
