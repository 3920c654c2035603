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

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { display: grid; min-height: 100vh; margin: 0; place-items: center; }
main { max-width: 30rem; padding: 1.5rem; }
h1 { font-size: 1.3rem; }
a { color: light-dark(#4350c8, #a5adff); }
`

/** The page, with a sentence that begins in lower case. */
export function refusedPage(sentence: string, again: string): string {
  const text = sentence.replace(/[&<>"']/g, (character) => escapes[character]!)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not signed in</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>You could not be signed in</h1>
<p>The reason: ${text}.</p>
<p><a href="${again}">Try again</a> or <a href="/">sign in another way</a>.</p>
</main>
</body>
</html>
`
}

export const refusedHeaders: Headers = [...pageHeaders, ['Cache-Control', 'no-store']]
