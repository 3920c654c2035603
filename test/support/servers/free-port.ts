/** Ports for servers that a test starts later. */
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

/** Below the ports that kernels give to connections and to servers that ask for any: nobody takes it meanwhile. */
const [FIRST, COUNT] = [12_000, 20_000]

/** A port of the loopback interface on which nobody listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(FIRST + Math.floor(Math.random() * COUNT), '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    return port
  }
}
