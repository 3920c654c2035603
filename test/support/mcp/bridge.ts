/** A process that speaks the protocol on its standard input and output, for test/scenarios/mcp/stdio.test.ts. */
import { serveStdio } from '../../../server/mcp/stdio.js'

const { TEST_BASE_URL: baseUrl = '', TEST_KEY: key = '' } = process.env
const { closed, close } = await serveStdio({ baseUrl, key })
await closed
await close()
