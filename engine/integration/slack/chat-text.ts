/**
 * Values of events as plain text in chat messages.
 *
 * Owns: how each dialect is kept from formatting, mentioning and linking. Leaves out: the template and the delivery
 * (slack.ts).
 *
 * 1. A value stays in its place: it has no line breaks, and begins no quote, heading or list.
 * 2. A value mentions nobody, links nothing and formats nothing, also in parts that a template puts side by side.
 * 3. Where a dialect has an escape, the text is unchanged to the eye and to the clipboard. Elsewhere a zero-width space
 *    or a character of the same look takes the meaning away. Emoji codes (`:smile:`) stay.
 */
export const chatDialects = ['slack', 'mattermost', 'rocketchat'] as const
export type ChatDialect = (typeof chatDialects)[number]

const BREAK = '\u200b'

/** Line breaks, control characters and marks that reverse the direction of text. */
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu
/** What starts a block at the begin of a line, and would even after an escape. */
const BLOCK_START = /^(?=\s*(?:[>#+=|-]|\d+[.)](?:\s|$)))/u
/** Underscores within words format in no dialect, and are frequent in names. */
const UNDERSCORE = /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu

/** Slack and Rocket.Chat have no escape for these characters. */
const lookAlikes: Readonly<Record<string, string>> = { '*': '\u2217', '`': '\u02cb', '~': '\u223c' }

function withLookAlikes(text: string): string {
  return text.replace(/[*`~]/g, (mark) => lookAlikes[mark] as string).replace(UNDERSCORE, '\u02cd')
}

function entities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const marksOff: Readonly<Record<ChatDialect, (text: string) => string>> = {
  slack: (text) => entities(withLookAlikes(text)),
  // `~name` is a link to a channel, which an escape does not prevent.
  mattermost: (text) =>
    entities(
      text
        .replace(/[\\*`[\](){}!|]/g, '\\$&')
        .replace(UNDERSCORE, '\\_')
        .replaceAll('~', `~${BREAK}`),
    ),
  // Entities would be shown as they are. `||` hides text, and `\(` begins a formula.
  rocketchat: (text) => withLookAlikes(text).replace(/<|\|(?=\|)|\\(?=[[(])/g, `$&${BREAK}`),
}

function withoutLinks(text: string): string {
  return text
    .replace(/[@#]|:(?=\/\/)|\](?=\()/g, `$&${BREAK}`)
    .replace(/(?<=[\p{L}\p{N}])\.(?=\p{L}{2})/gu, `.${BREAK}`)
}

/** The text as a dialect shows it literally. */
export function chatText(text: string, dialect: ChatDialect): string {
  const line = text.replace(CONTROLS, ' ')
  return `${BLOCK_START.test(line) ? BREAK : ''}${withoutLinks(marksOff[dialect](line))}`
}

/** The dialect behind the URL of an incoming webhook. Slack's is safe for the others too, if not as easy to read. */
export function dialectOf(url: URL): ChatDialect {
  if (/\/hooks\/[^/]+\/?$/.test(url.pathname)) return 'mattermost'
  if (/\/hooks\/[^/]+\/[^/]+\/?$/.test(url.pathname)) return 'rocketchat'
  return 'slack'
}
