/**
 * Texts of cases as plain text: each system shows them letter by letter, whatever an event contains.
 *
 * 1. A whole text is marked, not each value: values side by side cannot form markup together.
 * 2. A text cannot end its own block. A zero-width space breaks what would; nothing else in it changes.
 */
const BREAK = '\u200b'

/** Without control characters and marks that reverse the direction of text; line breaks and tabs stay. */
export function withoutControls(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(/(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ')
}

/** The wiki markup of Jira. It finds mentions (`[~name]`) within the block too. */
export function jiraText(text: string): string {
  return `{noformat}\n${text.replace(/\{(?=\s*noformat)|\[(?=~)/gi, `$&${BREAK}`)}\n{noformat}`
}

/** Textile or Markdown, as the installation of Redmine has it: both know `<pre>`, and Markdown allows tags within. */
export function redmineText(text: string): string {
  return `<pre>\n${text.replace(/<(?=[a-z/!?])|(?<![\p{L}\p{N}_])@(?=[\p{L}\p{N}_])/giu, `$&${BREAK}`)}\n</pre>`
}

/** Markdown: a code block whose fence is longer than any in the text. */
export function markdownText(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

/** ServiceNow shows plain text, but takes what stands between `[code]` tags for HTML. */
export function serviceNowText(text: string): string {
  return text.replace(/\[(?=\s*\/?\s*code)/gi, `[${BREAK}`)
}
