/** A sentence of the service: names between backticks are shown as names. */
import { plainText } from './event-title.js'

export function Sentence({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split('`')
        .map((piece, at) =>
          at % 2 === 0 ? plainText(piece) : <code key={piece + String(at)}>{plainText(piece)}</code>,
        )}
    </>
  )
}
