/** The process of the floors without HTTP. It takes one JSON argument and prints one line of JSON. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { removeDirectory, temporaryDirectory } from '../harness/service.js'
import { bulkFloor, packFloor, putFloor } from './store.js'

interface Argument {
  readonly floor: 'pack' | 'put' | 'bulk'
  /** NDJSON, as the service gets it. */
  readonly file: string
  readonly batchSize: number
  readonly seconds: number
}

const { floor, file, batchSize, seconds } = JSON.parse(process.argv[2] ?? '') as Argument
const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
const directory = temporaryDirectory()
const path = join(directory, 'floor.mdb')
try {
  const result =
    floor === 'pack'
      ? packFloor(lines, batchSize, seconds)
      : await (floor === 'put' ? putFloor : bulkFloor)(lines, batchSize, seconds, path)
  console.log(JSON.stringify(result))
} finally {
  removeDirectory(directory)
}
