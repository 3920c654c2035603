/** The process of our own load generator. It takes one JSON argument and prints one line of JSON. */
import { encodeRequest, readRequests } from './requests.js'
import { runRawLoad } from './raw-load.js'

interface Argument {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  readonly rate: number
  readonly file: string
  readonly headers: Readonly<Record<string, string>>
}

const argument = JSON.parse(process.argv[2] ?? '') as Argument
const headers = { 'Content-Type': 'application/json', ...argument.headers }
const requests = readRequests(argument.file).map((plan) => encodeRequest(plan, headers))
console.log(JSON.stringify(await runRawLoad({ ...argument, requests })))
