/** Answers of an HTTP counterpart, by its behaviour: the same for every kind. */
import type { Behaviour } from '../contracts/sink.js'
import { status, type Answering } from './servers/receiver.js'

export const behaving: Readonly<Record<Behaviour, Answering>> = {
  well: status(200, {}, '{}'),
  busy: status(429, { 'retry-after': '3' }),
  broken: status(500, {}, 'oops'),
  refusing: status(400, {}, 'not like this'),
  silent: () => {},
  half: (_, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('half of i', () => response.destroy())
  },
  huge: status(200, {}, 'x'.repeat(17 * 1024 * 1024)),
  revoked: status(401, {}, 'who are you'),
  gone: status(410, {}, 'not any more'),
  missing: status(404, {}, 'nothing here'),
  elsewhere: status(307, { location: 'http://169.254.169.254/latest/meta-data' }),
}
