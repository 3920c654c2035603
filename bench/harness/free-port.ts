/** Ports for programs that are started in a moment. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Systems give higher ones to outgoing connections, also between this look and the start of the program. */
const [FIRST, LAST] = [18_000, 32_000]

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch {
      // Somebody has it.
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
