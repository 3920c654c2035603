/**
 * What of a browser the console uses, and how it makes elements.
 *
 * The names are declared here, and not by the compiler's library for browsers, because that would tell all of the service that
 * it runs in one. Text is set as text: nothing that comes from an event is ever read as HTML.
 */

/** An element, as far as it is used. */
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

/** An element with its attributes and what is in it. */
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

/** Something to write in, under its name. */
export function field(type: 'text' | 'password', name: string): Element {
  return element('input', { type, placeholder: name, 'aria-label': name })
}

/** A button; what it does may fail, which is told by `failed`. */
export function button(text: string, run: () => Promise<void>, failed: (error: unknown) => void): Element {
  const made = element('button', { type: 'button' }, text)
  made.addEventListener('click', () => void run().catch(failed))
  return made
}

/** A button for what is hard to undo: it asks first. */
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

/** A table of rows of cells under its heads. */
export function table(heads: readonly string[], rows: readonly (readonly (Element | string)[])[]): Element {
  const body = rows.map((cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, cell))))
  const head =
    heads.length === 0 ? [] : [element('thead', {}, element('tr', {}, ...heads.map((text) => element('th', {}, text))))]
  return element('div', { class: 'wide' }, element('table', {}, ...head, element('tbody', {}, ...body)))
}
