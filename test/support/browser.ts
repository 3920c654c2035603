/**
 * As much of a browser as the search of the manual uses (server/docs/search.ts), for tests to read and click.
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
