/** The page for a person who could not be signed in. */
import { pageHeaders } from '../routes/docs.js'
import type { Headers } from '../http/send.js'

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The page, with a sentence that begins in lower case. */
export function refusedPage(sentence: string, again: string): string {
  const text = sentence.replace(/[&<>"']/g, (character) => escapes[character]!)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not signed in</title>
</head>
<body>
<h1>You could not be signed in</h1>
<p>The reason: ${text}.</p>
<p><a href="${again}">Try again</a> or <a href="/">sign in another way</a>.</p>
</body>
</html>
`
}

export const refusedHeaders: Headers = [...pageHeaders, ['Cache-Control', 'no-store']]
