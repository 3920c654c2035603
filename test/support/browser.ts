/**
 * As much of a browser as the console uses (server/console/dom.ts), for tests to read and click.
 *
 * Owns: elements as a tree, their listeners. Leaves out: HTML, style, everything else.
 */

/** An element: its text, its attributes, its children. */
export class FakeElement {
  readonly tag: string
  readonly attributes = new Map<string, string>()
  value = ''
  #children: (FakeElement | string)[] = []
  readonly #listeners = new Map<string, (event: { preventDefault(): void }) => void>()

  constructor(tag: string) {
    this.tag = tag
  }

  get textContent(): string {
    return this.#children.map((child) => (typeof child === 'string' ? child : child.textContent)).join('')
  }

  set textContent(text: string) {
    this.#children = [text]
  }

  append(...children: readonly (FakeElement | string)[]): void {
    this.#children.push(...children)
  }

  replaceChildren(...children: readonly (FakeElement | string)[]): void {
    this.#children = [...children]
  }

  addEventListener(type: string, run: (event: { preventDefault(): void }) => void): void {
    this.#listeners.set(type, run)
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value)
  }

  /** All elements inside, of that tag. */
  all(tag: string): FakeElement[] {
    return this.#children.flatMap((child) =>
      typeof child === 'string' ? [] : [...(child.tag === tag ? [child] : []), ...child.all(tag)],
    )
  }

  click(): void {
    this.#listeners.get('click')?.({ preventDefault: () => {} })
  }
}

/** The dialogs that a page has shown, and the answer to them. */
export interface Dialogs {
  readonly texts: string[]
  answer: boolean
}

/**
 * Lets scripts find a browser whose page came from `origin`; scripts keep it when they are imported. Returns the
 * function that ends this.
 */
export function becomeBrowser(origin: string, dialogs: Dialogs): () => void {
  const stored = new Map<string, string>()
  const names = {
    document: { createElement: (tag: string) => new FakeElement(tag), getElementById: () => new FakeElement('main') },
    location: { origin, pathname: '/' },
    sessionStorage: {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => stored.set(name, value),
      removeItem: (name: string) => stored.delete(name),
    },
    confirm: (text: string) => {
      dialogs.texts.push(text)
      return dialogs.answer
    },
  }
  // Defined, not assigned: from version 22 on, Node.js has its own sessionStorage, a getter.
  const before = Object.keys(names).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const)
  for (const [name, value] of Object.entries(names))
    Object.defineProperty(globalThis, name, { configurable: true, writable: true, value })
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name)
      else Object.defineProperty(globalThis, name, descriptor)
    }
  }
}
