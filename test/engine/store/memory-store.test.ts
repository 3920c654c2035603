import { Refusal } from '../../../engine/errors.js'
import { MemoryEnvironment } from '../../../engine/store/memory-store.js'
import { contractTables, environmentContract } from '../../contracts/environment.js'

environmentContract('memory', async () => {
  const environment = new MemoryEnvironment(contractTables)
  return {
    environment,
    reader: () => environment,
    commitInVain(batch) {
      environment.failNextCommit = new Refusal('store_full', 'full')
      environment.commit(batch)
    },
  }
})
