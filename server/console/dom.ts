/**
 * The browser functions that the console uses, and helpers that make elements.
 *
 * Browser names are declared here. The compiler's library for browsers would make them visible in the whole service.
 * Text is always set as text: nothing from an event is parsed as HTML.
 */

/** An element, with the members that the console uses. */
export interface Element {
  value: string
  textContent: string
  append(...children: readonly (Element | string)[]): void
  replaceChildren(...children: readonly (Element | string)[]): void
  addEventListener(type: 'click' | 'submit', run: (event: { preventDefault(): void }) => void): void
  setAttribute(name: string, value: string): void
}

interface Browser {
  readonly document: { createElement(tag: string): Element; getElementById(id: string): Element }
  readonly location: { readonly origin: string; readonly pathname: string }
  readonly sessionStorage: {
    getItem(name: string): string | null
    setItem(name: string, value: string): void
    removeItem(name: string): void
  }
  confirm(prompt: string): boolean
}

export const { confirm, document, location, sessionStorage } = globalThis as unknown as Browser

/** Makes an element with attributes and children. */
export function element(
  tag: string,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Element | string)[]
): Element {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

/** An input field with a label. */
export function field(type: 'text' | 'password', name: string): Element {
  return element('input', { type, placeholder: name, 'aria-label': name })
}

/** A button that calls `run` when clicked, and `failed` if that rejects. */
export function button(text: string, run: () => Promise<void>, failed: (error: unknown) => void): Element {
  const made = element('button', { type: 'button' }, text)
  made.addEventListener('click', () => void run().catch(failed))
  return made
}

/** A button that asks for confirmation before it calls `run`. */
export function carefulButton(
  text: string,
  prompt: string,
  run: () => Promise<void>,
  failed: (error: unknown) => void,
): Element {
  return button(
    text,
    async () => {
      if (confirm(prompt)) await run()
    },
    failed,
  )
}

/** A table with heads and rows of cells. */
export function table(heads: readonly string[], rows: readonly (readonly (Element | string)[])[]): Element {
  const body = rows.map((cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, cell))))
  const head =
    heads.length === 0 ? [] : [element('thead', {}, element('tr', {}, ...heads.map((text) => element('th', {}, text))))]
  return element('div', { class: 'wide' }, element('table', {}, ...head, element('tbody', {}, ...body)))
}
