/** The process of the NDJSON load. It takes one JSON argument and prints one line of JSON. */
import { readFileSync } from 'node:fs'
import { runBulkLoad, type BulkLoad } from './bulk-load.js'

type Argument = Omit<BulkLoad, 'lines'> & { readonly file: string }

const argument = JSON.parse(process.argv[2] ?? '') as Argument
const lines = readFileSync(argument.file, 'utf8').split('\n')
if (lines.at(-1) === '') lines.pop()
const load: BulkLoad = {
  ...argument,
  // JSON has no Infinity.
  seconds: argument.seconds > 0 ? argument.seconds : Number.POSITIVE_INFINITY,
  events: argument.events > 0 ? argument.events : Number.POSITIVE_INFINITY,
  lines: lines.map((line) => `${line}\n`),
}
console.log(JSON.stringify(await runBulkLoad(load)))
