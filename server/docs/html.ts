/** HTML of the manual: texts that are only text, and pictures. */

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

/** A picture of the folder `screens`; nothing else is loaded. */
export function imageOf(href: string, text: string, version: string): string {
  const [, name] = /^screens\/([\w-]+\.png)$/.exec(href) ?? []
  if (name === undefined) return escaped(text)
  return `<img class="screen" src="/docs/assets/${name}?v=${version}" alt="${escaped(text)}" loading="lazy">`
}
