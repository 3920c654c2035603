import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { refusesConnections } from '../../../../engine/services/cluster/owner-gone.js'

describe('the owner of a cluster', () => {
  it('is there while its address takes connections, even where nobody reads them', async () => {
    const taken: Socket[] = []
    const server = createServer({ pauseOnConnect: true }, (socket) => void taken.push(socket)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const [said] = await Promise.all([refusesConnections(`http://127.0.0.1:${port}`), once(server, 'connection')])
    assert.equal(said, false)
    server.close()
    for (const socket of taken) socket.destroy()
    await once(server, 'close')
    assert.equal(await refusesConnections(`http://127.0.0.1:${port}/`), true)
  })

  it('is not known to be gone where its address has no machine', async () => {
    assert.equal(await refusesConnections('https://nobody.invalid'), false)
  })
})
