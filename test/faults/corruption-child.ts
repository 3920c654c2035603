/**
 * Trials of corruption.ts in a process of their own: a damaged file that was not found may crash it. DIR SEED FROM TO
 */
import { Corruption } from './corruption.js'

const [dir = '', seed = '', from = '', to = ''] = process.argv.slice(2)
const corruption = new Corruption(dir, Number(seed))
for (let number = Number(from); number < Number(to); number++) process.send?.(await corruption.run(number))
process.disconnect()
